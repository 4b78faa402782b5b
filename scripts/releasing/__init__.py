"""How `scripts/release` makes programs, wheels and archives for every platform; docs/release.md."""
