<#
.SYNOPSIS
Rebuilds torchcodec's DLLs against the torch of an environment, and installs them with tcfix.

.DESCRIPTION
For a torch that torchcodec's published wheels do not fit, such as AMD's for ROCm. In this order:

1. CMake and Ninja build the DLLs from a torchcodec source directory, against the installed torch.
2. If torchcodec is not installed, "pip install --no-deps" installs its Python package; torch is not changed.
3. "tcfix apply --replace-from" replaces the package's DLLs and repairs them; "tcfix undo" restores the old ones.
4. "tcfix doctor" reports whether torchcodec loads.

A build that fails leaves the environment unchanged. No compiler, tool or FFmpeg is installed.

Run it in an "x64 Native Tools Command Prompt" or a "Developer PowerShell" for 64-bit x86. It needs CMake, Ninja,
and in the environment pybind11 (python -m pip install cmake ninja pybind11).

Exit codes: 0 torchcodec loads; 1 it does not (tcfix doctor); 2 wrong usage, or something needed is missing;
3 the build, pip or a change of a file failed; 4 torchcodec does not load after the repair (tcfix apply).

.PARAMETER Source
The directory of torchcodec's sources, of the same release as the package: git clone --branch v0.9.1 ...

.PARAMETER Environment
A venv, a conda environment or the directory of an embedded Python. Default: the active one, else .venv or
venv in this directory.

.PARAMETER Compiler
msvc (default) or clang-cl.

.PARAMETER PytorchRocmArch
GPU architectures for PYTORCH_ROCM_ARCH during the build, such as gfx1100, gfx1201.

.PARAMETER FFmpegPrefix
An FFmpeg with include and lib\pkgconfig to compile against; needs pkg-config. Default: the FFmpeg builds that
torchcodec's own build system downloads, one for each major.

.PARAMETER Version
The release of torchcodec to install if it is missing. Default: that of the sources.

.PARAMETER BuildDirectory
Where to build; it is kept, so that a second build is fast. Default: a temporary directory, removed on success.

.PARAMETER FFmpeg
Passed to tcfix apply: the directory with FFmpeg's DLLs, auto, av or none.

.PARAMETER Require
FFmpeg majors that must load, such as 7, 8.

.PARAMETER Tcfix
tcfix.exe. Default: the environment's, else the one on PATH.

.EXAMPLE
.\rebuild-torchcodec.ps1 C:\src\torchcodec -Environment C:\work\.venv -WhatIf

.EXAMPLE
.\rebuild-torchcodec.ps1 C:\src\torchcodec -Compiler clang-cl -PytorchRocmArch gfx1100,gfx1201 -Require 7
#>
[CmdletBinding(SupportsShouldProcess = $true)]
param(
  [Parameter(Mandatory = $true, Position = 0)]
  [ValidateNotNullOrEmpty()]
  [string]$Source,

  [ValidateNotNullOrEmpty()]
  [string]$Environment,

  [ValidateSet('msvc', 'clang-cl')]
  [string]$Compiler = 'msvc',

  [ValidatePattern('^gfx[0-9a-z:+-]+([,;]gfx[0-9a-z:+-]+)*$')]
  [string[]]$PytorchRocmArch = @(),

  [ValidateNotNullOrEmpty()]
  [string]$FFmpegPrefix,

  [ValidatePattern('^[0-9]+(\.[0-9]+)+$')]
  [string]$Version,

  [ValidateNotNullOrEmpty()]
  [string]$BuildDirectory,

  [ValidateNotNullOrEmpty()]
  [string]$FFmpeg,

  # Strings, not numbers: "powershell -File" passes 7,8 as one word, which would become the number 78.
  [ValidatePattern('^[0-9]+(,[0-9]+)*$')]
  [string[]]$Require = @(),

  [ValidateNotNullOrEmpty()]
  [string]$Tcfix
)
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
. (Join-Path -Path $PSScriptRoot -ChildPath 'common.ps1')

# The output of a line of Python in the environment; ends the script with the hint if it fails. The code must not
# contain double quotes: Windows PowerShell would drop them.
function Get-PythonText {
  [CmdletBinding()]
  param(
    [Parameter(Mandatory = $true)][string]$Python,
    [Parameter(Mandatory = $true)][string]$Code,
    [Parameter(Mandatory = $true)][string]$Hint
  )
  $ErrorActionPreference = 'Continue'
  $lines = @(& $Python -I -c $Code)
  if ($LASTEXITCODE -ne 0) {
    Stop-Script -Code 2 -Message "${Python}: exit code $LASTEXITCODE" -Hint $Hint
  }
  return ($lines -join "`n").Trim()
}

# A build tool, from the environment or from PATH.
function Resolve-Tool {
  [CmdletBinding()]
  param(
    [Parameter(Mandatory = $true)][string]$Name,
    [Parameter(Mandatory = $true)][string]$Environment,
    [Parameter(Mandatory = $true)][string]$Hint
  )
  $scripts = Join-Path -Path $Environment -ChildPath 'Scripts'
  $found = Find-File -Path @((Join-Path -Path $scripts -ChildPath "$Name.exe"))
  if (-not $found) { $found = Find-Program -Name $Name }
  if (-not $found) { Stop-Script -Code 2 -Message "$Name not found" -Hint $Hint }
  return $found
}

# The release to install, if torchcodec is missing: the requested one, else that of the sources.
function Get-ReleaseToInstall {
  [CmdletBinding()]
  param(
    [Parameter(Mandatory = $true)][AllowEmptyString()][string]$Named,
    [Parameter(Mandatory = $true)][AllowEmptyString()][string]$OfSource
  )
  if ($Named) { return $Named }
  if ($OfSource -match '^[0-9]+(\.[0-9]+)+$') { return $OfSource }
  Stop-Script -Code 2 -Message "torchcodec is not installed, and the sources have no release number: '$OfSource'" `
    -Hint 'pass the nearest release with -Version'
}

# 0.9 of 0.9.1+rocm; an empty string if there is no number.
function Get-MinorRelease {
  [CmdletBinding()]
  param([Parameter(Mandatory = $true)][AllowEmptyString()][string]$Version)
  if ($Version -match '^[0-9]+\.[0-9]+') { return $Matches[0] }
  return ''
}

# Runs a program; throws if it fails.
function Invoke-Step {
  [CmdletBinding(SupportsShouldProcess = $true)]
  param(
    [Parameter(Mandatory = $true)][string]$Target,
    [Parameter(Mandatory = $true)][string]$Action,
    [Parameter(Mandatory = $true)][string]$Program,
    [Parameter(Mandatory = $true)][string[]]$Words
  )
  Write-Verbose -Message "$Program $($Words -join ' ')"
  if (-not $PSCmdlet.ShouldProcess($Target, $Action)) { return }
  $ErrorActionPreference = 'Continue'  # what programs print on standard error is not an exception
  & $Program @Words | Out-Host
  if ($LASTEXITCODE -ne 0) { throw "${Action}: exit code $LASTEXITCODE" }
}

# Sets variables of this process for a build; returns their previous values.
function Set-ProcessVariable {
  [CmdletBinding(SupportsShouldProcess = $true)]
  param([Parameter(Mandatory = $true)][hashtable]$Variables)
  $before = @{}
  foreach ($name in $Variables.Keys) {
    $before[$name] = [Environment]::GetEnvironmentVariable($name, 'Process')
    $value = $Variables[$name]
    if ($null -eq $value) { $value = [NullString]::Value }
    if ($PSCmdlet.ShouldProcess("$name of this process", "set to '$value'")) {
      [Environment]::SetEnvironmentVariable($name, $value, 'Process')
    }
  }
  return $before
}

# CMake understands forward slashes everywhere; a backslash may begin an escape sequence.
function ConvertTo-CMakePath {
  [CmdletBinding()]
  param([Parameter(Mandatory = $true)][string]$Path)
  return $Path.Replace('\', '/')
}

# --- check the environment and the tools -------------------------------------------------------------------
$sources = Resolve-Directory -Path $Source -Name 'Source'
$marker = Join-Path -Path $sources -ChildPath 'src'
foreach ($part in @('torchcodec', '_core', 'CMakeLists.txt')) { $marker = Join-Path -Path $marker -ChildPath $part }
if (-not (Find-File -Path @($marker))) {
  Stop-Script -Code 2 -Message "${sources}: not a source directory of torchcodec: $marker not found"
}
$versionFile = Find-File -Path @((Join-Path -Path $sources -ChildPath 'version.txt'))
$sourceVersion = ''
if ($versionFile) { $sourceVersion = ([string](Get-Content -LiteralPath $versionFile -TotalCount 1)).Trim() }

$target = Resolve-Environment -Path $Environment
$python = Resolve-Python -Environment $target
$program = Resolve-Tcfix -Path $Tcfix -Environment $target
$install = 'python -m pip install cmake ninja pybind11'
$cmake = Resolve-Tool -Name 'cmake' -Environment $target -Hint $install
$ninja = Resolve-Tool -Name 'ninja' -Environment $target -Hint $install
$driver = 'cl'
if ($Compiler -eq 'clang-cl') { $driver = 'clang-cl' }
$prompt = 'run this in an "x64 Native Tools Command Prompt" of Visual Studio'
$driver = Resolve-Tool -Name $driver -Environment $target -Hint $prompt
if (-not $env:INCLUDE -or -not $env:LIB) {
  Stop-Script -Code 2 -Message 'INCLUDE and LIB are not set: the Windows SDK cannot be found' -Hint $prompt
}
if ($env:VSCMD_ARG_TGT_ARCH -and $env:VSCMD_ARG_TGT_ARCH -ne 'x64') {
  Stop-Script -Code 2 -Message "this prompt builds for $env:VSCMD_ARG_TGT_ARCH, not for x64" -Hint $prompt
}
$torch = Get-PythonText -Python $python -Hint 'torch must be installed, and must load' -Code (
  'import json, sys, torch; ' +
  'print(json.dumps([torch.__version__, torch.utils.cmake_prefix_path, sys.version_info[0], sys.version_info[1]]))')
$facts = @($torch | ConvertFrom-Json | ForEach-Object { $_ })
$pybind = Get-PythonText -Python $python -Hint $install -Code 'import pybind11; print(pybind11.get_cmake_dir())'
$installed = Get-PythonText -Python $python -Hint 'the environment cannot be read' -Code (
  'import importlib.metadata as m; ' +
  'print(next((d.version for d in m.distributions() if d.metadata[''Name''] == ''torchcodec''), ''''))')
$release = ''
if (-not $installed) {
  $release = Get-ReleaseToInstall -Named $Version -OfSource $sourceVersion
} elseif ((Get-MinorRelease -Version $installed) -ne (Get-MinorRelease -Version $sourceVersion)) {
  Write-Warning -Message "torchcodec $installed is installed, but the sources are '$sourceVersion'"
}
Write-Output -InputObject "torch $($facts[0]), Python $($facts[2]).$($facts[3]), in $target"

# --- build -------------------------------------------------------------------------------------------------
$variables = @{}
if ($PytorchRocmArch.Count -gt 0) { $variables['PYTORCH_ROCM_ARCH'] = ($PytorchRocmArch -join ';').Replace(',', ';') }
if ($FFmpegPrefix) {
  $prefix = Resolve-Directory -Path $FFmpegPrefix -Name 'FFmpegPrefix'
  $library = Join-Path -Path $prefix -ChildPath 'lib'
  $packages = Join-Path -Path $library -ChildPath 'pkgconfig'
  if (-not (Find-File -Path @((Join-Path -Path $packages -ChildPath 'libavcodec.pc')))) {
    Stop-Script -Code 2 -Message "${packages}: libavcodec.pc not found" -Hint 'pass an FFmpeg with development files'
  }
  $null = Resolve-Tool -Name 'pkg-config' -Environment $target -Hint 'it is needed for -FFmpegPrefix'
  $variables['PKG_CONFIG_PATH'] = $packages
  $variables['BUILD_AGAINST_ALL_FFMPEG_FROM_S3'] = $null
} else {
  $variables['BUILD_AGAINST_ALL_FFMPEG_FROM_S3'] = '1'
}
$build = Join-Path -Path ([IO.Path]::GetTempPath()) -ChildPath ('tcfix-rebuild-' + [guid]::NewGuid())
if ($BuildDirectory) { $build = $PSCmdlet.GetUnresolvedProviderPathFromPSPath($BuildDirectory) }
$stage = Join-Path -Path $build -ChildPath 'tcfix-stage'
$configure = @(
  '-S', (ConvertTo-CMakePath -Path $sources), '-B', (ConvertTo-CMakePath -Path $build), '-G', 'Ninja',
  "-DCMAKE_MAKE_PROGRAM=$(ConvertTo-CMakePath -Path $ninja)",
  "-DCMAKE_C_COMPILER=$(ConvertTo-CMakePath -Path $driver)",
  "-DCMAKE_CXX_COMPILER=$(ConvertTo-CMakePath -Path $driver)",
  '-DCMAKE_BUILD_TYPE=Release',
  "-DCMAKE_INSTALL_PREFIX=$(ConvertTo-CMakePath -Path $stage)",
  "-DTorch_DIR=$(ConvertTo-CMakePath -Path $facts[1])/Torch",
  "-Dpybind11_DIR=$(ConvertTo-CMakePath -Path $pybind)",
  "-DPython_EXECUTABLE=$(ConvertTo-CMakePath -Path $python)",
  "-DPython3_EXECUTABLE=$(ConvertTo-CMakePath -Path $python)",
  "-DPYTHON_VERSION=$($facts[2]).$($facts[3])",
  '-DENABLE_CUDA=OFF',
  '-DTORCHCODEC_DISABLE_COMPILE_WARNING_AS_ERROR=ON')
$before = @{}
$failure = ''
try {
  $before = Set-ProcessVariable -Variables $variables
  Invoke-Step -Target $sources -Action "configure in $build" -Program $cmake -Words $configure
  Invoke-Step -Target $build -Action 'build' -Program $cmake -Words @('--build', $build)
  Invoke-Step -Target $stage -Action 'collect the DLLs' -Program $cmake -Words @('--install', $build)
  if (-not $WhatIfPreference -and @(Get-ChildItem -LiteralPath $stage -Filter 'libtorchcodec_core*.dll').Count -eq 0) {
    throw "${stage}: libtorchcodec_core*.dll not found after the build"
  }
  if ($release) {
    Invoke-Step -Target $target -Action "pip install --no-deps torchcodec==$release" -Program $python -Words @(
      '-m', 'pip', 'install', '--no-deps', '--only-binary', 'torchcodec', "torchcodec==$release")
  }
} catch {
  $failure = $_.Exception.Message
} finally {
  if (-not $WhatIfPreference) { $null = Set-ProcessVariable -Variables $before }
}
if ($failure) { Stop-Script -Code 3 -Message $failure -Hint "the build is in $build" }

# --- install and check -------------------------------------------------------------------------------------
if (-not $PSCmdlet.ShouldProcess($target, "tcfix apply --replace-from $stage; tcfix doctor")) { exit 0 }
$options = @()
if ($Require.Count -gt 0) { $options = @('--require', ($Require -join ',')) }
$words = @('apply', '--replace-from', $stage) + $options
if ($FFmpeg) { $words += @('--ffmpeg', $FFmpeg) }
$ErrorActionPreference = 'Continue'  # what tcfix prints on standard error is not an exception
& $program @words $target
$applied = $LASTEXITCODE
if ($applied -ne 0 -and $applied -ne 4) { exit $applied }
if (-not $BuildDirectory) { Remove-Item -LiteralPath $build -Recurse -Force -ErrorAction SilentlyContinue }
& $program doctor @options $target
$diagnosed = $LASTEXITCODE
if ($applied -ne 0) { exit $applied }
exit $diagnosed
