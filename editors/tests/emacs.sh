# Emacs: the mode, its faces, indentation and outline; the servers of eglot and lsp-mode; a first day with kernels; no warning
# when compiled.
source "$(dirname "$0")/support.sh"
need_debian emacs emacs-nox elpa-eglot elpa-lsp-mode

cp "$editors"/emacs/*.el "$scratch/"
HOME=$scratch emacs --batch -Q -L "$scratch" --eval '(setq byte-compile-error-on-warn t)' -f batch-byte-compile "$scratch"/lane-*.el
HOME=$scratch emacs --batch --no-init-file -L "$scratch" --eval "(setq kernel-file \"$tests/kernel.lane\")" -l "$tests/emacs.el"

# Against the real server, where there is one: both clients connect, find what is wrong, hover and rename.
need_server
mkdir "$scratch/.git"
cp "$tests/neovim.lane" "$scratch/kernel.lane"
printf '\n\nfn inside(x):\n    return clamp(x, 0.0, 1.0)\n' >>"$scratch/kernel.lane"
for client in eglot lsp-mode; do
    has_client() {
        emacs --batch --no-init-file --eval "(kill-emacs (if (locate-library \"$client\") 0 1))" 2>/dev/null
    }
    has_client || [[ ${INSTALL-} != 1 ]] || apt-get install -y --no-install-recommends "elpa-$client"
    has_client || skip "the server in $client's hands, and nothing before: it is not installed (Debian: apt-get install elpa-$client)"
    HOME=$scratch LANESCOPE=$lanescope CLIENT=$client timeout 90 \
        emacs --batch --no-init-file -L "$scratch" -l "$tests/server.el" "$scratch/kernel.lane"
    if [[ $client == eglot ]]; then
        echo "-- a first day with kernels"
        HOME=$scratch LANESCOPE=$lanescope STORY=$tests/story KERNEL=$scratch/loudness.lane timeout 400 \
            emacs --batch --no-init-file -L "$scratch" -l "$tests/story.el" "$scratch/loudness.lane"
    fi
done
