"""Repairs native libraries again when an installer has replaced them (tcfix hook install)."""
