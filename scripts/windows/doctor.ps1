<#
.SYNOPSIS
Runs tcfix doctor on an environment and passes its exit code on.

.DESCRIPTION
Starts "tcfix doctor --require 7,8": whether torchcodec loads with these FFmpeg majors, why not, and the
command that helps. Nothing is changed.

Exit codes: those of tcfix. 0 loads; 1 no major loads, or one of -Require does not; 2 wrong usage, or no such
environment.

.PARAMETER Environment
A venv, a conda environment or the directory of an embedded Python. Default: the active one, else .venv or
venv in this directory.

.PARAMETER Require
The FFmpeg majors that must load. Default: 7, 8. -Require @() requires none in particular.

.PARAMETER Run
Also loads the libraries with the environment's own Python.

.PARAMETER Json
Prints one JSON document, for a bug report.

.PARAMETER Tcfix
tcfix.exe. Default: the environment's, else the one on PATH.

.EXAMPLE
.\doctor.ps1 -Environment C:\work\.venv -Require 7

.EXAMPLE
.\doctor.ps1 -Json | Set-Content report.json
#>
[CmdletBinding()]
param(
  [Parameter(Position = 0)]
  [ValidateNotNullOrEmpty()]
  [string]$Environment,

  # Strings, not numbers: "powershell -File" passes 7,8 as one word, which would become the number 78.
  [AllowEmptyCollection()]
  [ValidatePattern('^[0-9]+(,[0-9]+)*$')]
  [string[]]$Require = @('7', '8'),

  [switch]$Run,

  [switch]$Json,

  [ValidateNotNullOrEmpty()]
  [string]$Tcfix
)
Set-StrictMode -Version 2.0
$ErrorActionPreference = 'Stop'
. (Join-Path -Path $PSScriptRoot -ChildPath 'common.ps1')

$target = Resolve-Environment -Path $Environment
$program = Resolve-Tcfix -Path $Tcfix -Environment $target
$words = @('doctor')
if ($Require.Count -gt 0) { $words += @('--require', ($Require -join ',')) }
if ($Run) { $words += '--run' }
if ($Json) { $words += '--json' }
$words += $target

$ErrorActionPreference = 'Continue'  # what tcfix prints on standard error is not an exception
& $program @words
exit $LASTEXITCODE
