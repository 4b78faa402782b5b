<#
.SYNOPSIS
Checks a directory with FFmpeg's DLLs and sets FFMPEG_SHARED_BIN to it for the current user.

.DESCRIPTION
DLLs of torchcodec that tcfix has repaired search the directory in FFMPEG_SHARED_BIN. This script
checks that the directory contains avcodec-*.dll, avformat-*.dll and avutil-*.dll of one FFmpeg release, for
64-bit x86, and then sets the variable for the current user and for this process. Nothing else is changed:
not PATH, not the machine's variables, no file.

Exit codes: 0 set, or already set; 1 the directory has no usable FFmpeg; 2 no such directory; 3 the variable
could not be set.

.PARAMETER Directory
The directory with the DLLs, usually the one called bin of a "shared" build of FFmpeg.

.PARAMETER Remove
Removes the variable of the current user instead.

.EXAMPLE
.\setup-ffmpeg-shared.ps1 C:\ffmpeg\bin

.EXAMPLE
.\setup-ffmpeg-shared.ps1 C:\ffmpeg\bin -WhatIf

Checks the directory and prints what would be set.

.EXAMPLE
.\setup-ffmpeg-shared.ps1 -Remove
#>
[CmdletBinding(SupportsShouldProcess = $true, DefaultParameterSetName = 'Set')]
param(
  [Parameter(Mandatory = $true, Position = 0, ParameterSetName = 'Set')]
  [ValidateNotNullOrEmpty()]
  [string]$Directory,

  [Parameter(Mandatory = $true, ParameterSetName = 'Remove')]
  [switch]$Remove
)
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
. (Join-Path -Path $PSScriptRoot -ChildPath 'common.ps1')

$variable = 'FFMPEG_SHARED_BIN'
$required = @('avcodec', 'avformat', 'avutil')

# The numbers of the DLLs of one component, such as 61 for avcodec-61.dll.
function Get-DllNumber {
  [CmdletBinding()]
  param(
    [Parameter(Mandatory = $true)][string]$Path,
    [Parameter(Mandatory = $true)][string]$Component
  )
  Get-ChildItem -LiteralPath $Path -File | ForEach-Object {
    if ($_.Name -match ('^' + $Component + '-(\d+)\.dll$')) { [int]$Matches[1] }
  }
}

# The machine field of a DLL's header: 0x8664 is 64-bit x86. -1: not a DLL.
function Get-DllMachine {
  [CmdletBinding()]
  param([Parameter(Mandatory = $true)][string]$Path)
  $stream = [IO.File]::OpenRead($Path)
  try {
    $reader = New-Object -TypeName IO.BinaryReader -ArgumentList $stream
    if ($stream.Length -lt 64 -or $reader.ReadUInt16() -ne 0x5A4D) { return -1 }
    $stream.Position = 60
    $header = $reader.ReadUInt32()
    if ([long]$header + 6 -gt $stream.Length) { return -1 }
    $stream.Position = $header
    if ($reader.ReadUInt32() -ne 0x4550) { return -1 }
    return [int]$reader.ReadUInt16()
  } finally {
    $stream.Dispose()
  }
}

# The FFmpeg majors whose DLLs of these components are all in the directory.
function Get-WholeMajor {
  [CmdletBinding()]
  param(
    [Parameter(Mandatory = $true)][hashtable]$Found,
    [Parameter(Mandatory = $true)][string[]]$Component
  )
  $table = Get-FFmpegDllTable
  foreach ($major in ($table.Keys | Sort-Object -Descending)) {
    $missing = @($Component | Where-Object { $Found[$_] -notcontains $table[$major][$_] })
    if ($missing.Count -eq 0) { $major }
  }
}

# The majors in the directory, the highest first; ends the script if no FFmpeg is complete.
function Assert-FFmpeg {
  [CmdletBinding()]
  param([Parameter(Mandatory = $true)][string]$Path)
  $found = @{}
  foreach ($component in $required) { $found[$component] = @(Get-DllNumber -Path $Path -Component $component) }
  $missing = @($required | Where-Object { $found[$_].Count -eq 0 })
  if ($missing.Count -gt 0) {
    $names = ($missing | ForEach-Object { "$_-*.dll" }) -join ', '
    $below = Join-Path -Path $Path -ChildPath 'bin'
    $hint = 'a "shared" build of FFmpeg is needed: winget install Gyan.FFmpeg.Shared'
    if (@(Get-ChildItem -LiteralPath $below -Filter 'avcodec-*.dll' -ErrorAction SilentlyContinue).Count -gt 0) {
      $hint = "the DLLs are in $below"
    }
    Stop-Script -Code 1 -Message "${Path}: $names not found" -Hint $hint
  }
  $majors = @(Get-WholeMajor -Found $found -Component $required)
  if ($majors.Count -eq 0) {
    $names = ($required | ForEach-Object { "$_-$($found[$_] -join '/')" }) -join ', '
    Stop-Script -Code 1 -Message "${Path}: the DLLs are not of one FFmpeg release: $names"
  }
  $table = Get-FFmpegDllTable
  foreach ($major in $majors) {
    foreach ($component in $required) {
      $dll = Join-Path -Path $Path -ChildPath "$component-$($table[$major][$component]).dll"
      if ((Get-DllMachine -Path $dll) -ne 0x8664) {
        Stop-Script -Code 1 -Message "${dll}: not a DLL for 64-bit x86"
      }
    }
  }
  return $majors
}

# torchcodec needs more than the three; a build without one of them is rare and causes a warning.
function Write-MissingWarning {
  [CmdletBinding()]
  param(
    [Parameter(Mandatory = $true)][string]$Path,
    [Parameter(Mandatory = $true)][int[]]$Major
  )
  $table = Get-FFmpegDllTable
  foreach ($one in $Major) {
    foreach ($component in @('avdevice', 'avfilter', 'swscale', 'swresample')) {
      $name = "$component-$($table[$one][$component]).dll"
      if (-not (Test-Path -LiteralPath (Join-Path -Path $Path -ChildPath $name))) {
        Write-Warning -Message "${name} not found; torchcodec needs it for FFmpeg $one"
      }
    }
  }
}

# Sets the user's variable, or removes it if there is no value; checks it, and sets this process's.
function Set-UserVariable {
  [CmdletBinding(SupportsShouldProcess = $true)]
  param([AllowEmptyString()][string]$Value = '')
  $action = 'remove'
  $new = [NullString]::Value  # a plain $null would arrive as an empty string
  if ($Value) {
    $action = "set to $Value"
    $new = $Value
  }
  if ([string][Environment]::GetEnvironmentVariable($variable, 'User') -eq $Value) {
    Write-Output -InputObject "$variable of the current user: nothing to do"
  } elseif ($PSCmdlet.ShouldProcess("$variable of the current user", $action)) {
    try {
      [Environment]::SetEnvironmentVariable($variable, $new, 'User')
    } catch {
      Stop-Script -Code 3 -Message "${variable}: $($_.Exception.Message)"
    }
    if ([string][Environment]::GetEnvironmentVariable($variable, 'User') -ne $Value) {
      Stop-Script -Code 3 -Message "${variable}: the system did not keep the user's variable"
    }
    Write-Output -InputObject "$variable of the current user: $action"
    Write-Output -InputObject 'running programs do not see the change: open a new terminal'
  }
  if (-not $WhatIfPreference) { [Environment]::SetEnvironmentVariable($variable, $new, 'Process') }
}

if ($Remove) {
  Set-UserVariable
  exit 0
}
$full = Resolve-Directory -Path $Directory -Name 'Directory'
$majors = @(Assert-FFmpeg -Path $full)
Write-MissingWarning -Path $full -Major $majors
Write-Output -InputObject "${full}: FFmpeg $($majors -join ', ')"
Set-UserVariable -Value $full
exit 0
