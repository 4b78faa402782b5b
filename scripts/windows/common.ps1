# Shared by the scripts in this directory, which dot-source it. For Windows PowerShell 5.1 and PowerShell 7.
# ASCII only: 5.1 reads files without a byte order mark as ANSI.

# Ends a script with a message and a hint on standard error, and this exit code.
function Stop-Script {
  [CmdletBinding()]
  param(
    [Parameter(Mandatory = $true)][int]$Code,
    [Parameter(Mandatory = $true)][string]$Message,
    [string]$Hint = ''
  )
  [Console]::Error.WriteLine("error: $Message")
  if ($Hint) { [Console]::Error.WriteLine("hint: $Hint") }
  exit $Code
}

# The first of these files that exists, or an empty string.
function Find-File {
  [CmdletBinding()]
  param([Parameter(Mandatory = $true)][AllowEmptyString()][string[]]$Path)
  foreach ($candidate in $Path) {
    if ($candidate -and (Test-Path -LiteralPath $candidate -PathType Leaf)) {
      return (Resolve-Path -LiteralPath $candidate).ProviderPath
    }
  }
  return ''
}

# The program of this name on PATH, or an empty string.
function Find-Program {
  [CmdletBinding()]
  param([Parameter(Mandatory = $true)][string]$Name)
  $found = Get-Command -Name $Name -CommandType Application -ErrorAction SilentlyContinue |
    Select-Object -First 1
  if ($found) { return $found.Path }
  return ''
}

# The full path of an existing directory, without a separator at its end: in Windows PowerShell a backslash
# before a closing quote would escape the quote.
function Resolve-Directory {
  [CmdletBinding()]
  param(
    [Parameter(Mandatory = $true)][AllowEmptyString()][string]$Path,
    [Parameter(Mandatory = $true)][string]$Name
  )
  if (-not $Path) { Stop-Script -Code 2 -Message "-$Name is not set" }
  if (-not (Test-Path -LiteralPath $Path -PathType Container)) {
    Stop-Script -Code 2 -Message "${Path}: directory not found" -Hint "-$Name takes a directory"
  }
  $full = (Resolve-Path -LiteralPath $Path).ProviderPath
  $trimmed = $full.TrimEnd([char[]]'\/')
  if ($trimmed -and -not $trimmed.EndsWith(':')) { return $trimmed }
  return $full
}

# The environment to work on: the one given, else the active one, else .venv or venv here.
function Resolve-Environment {
  [CmdletBinding()]
  param([AllowEmptyString()][string]$Path = '')
  foreach ($candidate in @($Path, $env:VIRTUAL_ENV, $env:CONDA_PREFIX)) {
    if ($candidate) { return Resolve-Directory -Path $candidate -Name 'Environment' }
  }
  foreach ($candidate in @('.venv', 'venv')) {
    if (Test-Path -LiteralPath $candidate -PathType Container) {
      return Resolve-Directory -Path $candidate -Name 'Environment'
    }
  }
  Stop-Script -Code 2 -Message 'no environment is active, and there is no .venv here' `
    -Hint 'activate one, or pass it with -Environment'
}

# The python.exe of an environment: that of a venv, or that of conda and embedded Pythons.
function Resolve-Python {
  [CmdletBinding()]
  param([Parameter(Mandatory = $true)][string]$Environment)
  $scripts = Join-Path -Path $Environment -ChildPath 'Scripts'
  $python = Find-File -Path @(
    (Join-Path -Path $scripts -ChildPath 'python.exe'),
    (Join-Path -Path $Environment -ChildPath 'python.exe'))
  if (-not $python) {
    Stop-Script -Code 2 -Message "${Environment}: no python.exe in it or in its Scripts directory"
  }
  return $python
}

# tcfix.exe: the one given, else the environment's, else the one on PATH.
function Resolve-Tcfix {
  [CmdletBinding()]
  param(
    [AllowEmptyString()][string]$Path = '',
    [Parameter(Mandatory = $true)][string]$Environment
  )
  if ($Path) {
    $given = Find-File -Path @($Path)
    if (-not $given) { Stop-Script -Code 2 -Message "${Path}: file not found" -Hint '-Tcfix takes tcfix.exe' }
    return $given
  }
  $scripts = Join-Path -Path $Environment -ChildPath 'Scripts'
  $found = Find-File -Path @((Join-Path -Path $scripts -ChildPath 'tcfix.exe'))
  if (-not $found) { $found = Find-Program -Name 'tcfix' }
  if (-not $found) {
    Stop-Script -Code 2 -Message 'tcfix.exe is neither in the environment nor on PATH' `
      -Hint 'pass it with -Tcfix'
  }
  return $found
}

# The numbers in the names of FFmpeg's DLLs, by FFmpeg's own major.
function Get-FFmpegDllTable {
  [CmdletBinding()]
  param()
  return @{
    4 = @{ avcodec = 58; avformat = 58; avutil = 56; avdevice = 58; avfilter = 7; swscale = 5; swresample = 3 }
    5 = @{ avcodec = 59; avformat = 59; avutil = 57; avdevice = 59; avfilter = 8; swscale = 6; swresample = 4 }
    6 = @{ avcodec = 60; avformat = 60; avutil = 58; avdevice = 60; avfilter = 9; swscale = 7; swresample = 4 }
    7 = @{ avcodec = 61; avformat = 61; avutil = 59; avdevice = 61; avfilter = 10; swscale = 8; swresample = 5 }
    8 = @{ avcodec = 62; avformat = 62; avutil = 60; avdevice = 62; avfilter = 11; swscale = 9; swresample = 6 }
    9 = @{ avcodec = 63; avformat = 63; avutil = 61; avdevice = 63; avfilter = 12; swscale = 10; swresample = 7 }
  }
}
