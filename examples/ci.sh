# Fails if torchcodec is not repaired or does not load.
tcfix apply --check && tcfix doctor
