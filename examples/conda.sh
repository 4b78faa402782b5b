# Repairs torchcodec whenever the conda environment is activated.
mkdir -p "$CONDA_PREFIX/etc/conda/activate.d"
echo 'tcfix apply --quiet "$CONDA_PREFIX"' > "$CONDA_PREFIX/etc/conda/activate.d/tcfix.sh"
