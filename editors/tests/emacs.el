;;; emacs.el --- What emacs.sh holds lane-mode to -*- lexical-binding: t; -*-

;;; Code:

(require 'ert)
(require 'imenu)
(require 'lane-mode)

(defvar kernel-file)

(defun face-of (word)
  "The face of the first WORD in the buffer."
  (goto-char (point-min))
  (search-forward word)
  (get-text-property (1- (point)) 'face))

(ert-deftest lane-files-have-the-mode-and-its-colours ()
  (with-current-buffer (find-file-noselect kernel-file)
    (should (eq major-mode 'lane-mode))
    (font-lock-ensure)
    (should (equal (mapcar #'face-of '("Turns" "@fast" "kernel" "scale" "f32" "loud" "foreach" "min" "volume  " "was" "# it" "\\'s"))
                   '(font-lock-doc-face font-lock-preprocessor-face font-lock-keyword-face font-lock-function-name-face
                     font-lock-type-face font-lock-variable-name-face font-lock-keyword-face font-lock-builtin-face
                     nil font-lock-comment-face font-lock-string-face font-lock-string-face)))
    (should (equal (mapcar #'car (cdr (assoc "Kernels" (imenu--make-index-alist t)))) '("scale" "greet")))))

(ert-deftest lane-ir-files-have-their-mode ()
  (with-temp-buffer
    (insert "    let x = gather(a, i)\n")
    (lane-ir-mode)
    (font-lock-ensure)
    (should (eq (face-of "let") 'font-lock-keyword-face))
    (should (eq (face-of "gather") 'font-lock-warning-face))))

(ert-deftest ispc-files-have-the-mode-of-c-and-more-words ()
  (should (eq (assoc-default "a/b.isph" auto-mode-alist #'string-match-p) 'ispc-mode))
  (with-temp-buffer
    (insert "export void f(uniform float16 a[]) { foreach (i = 0 ... 4) a[i] = programIndex; }\n")
    (ispc-mode)
    (font-lock-ensure)
    (should (equal (mapcar #'face-of '("uniform" "float16" "foreach" "programIndex"))
                   '(font-lock-keyword-face font-lock-type-face font-lock-keyword-face font-lock-constant-face)))))

(ert-deftest lane-lines-are-indented-as-they-are-typed ()
  (with-temp-buffer
    (lane-mode)
    (dolist (line '("kernel f(" "a," "n," "):" "for i in range(n):  # all" "if a[i] > 0:" "a[i] = g(" "1," ")" "elif n:"
                    "pass" "a[0] = 1"))
      (insert line)
      (lane-indent-line)
      (end-of-line)
      (insert "\n"))
    (should (equal (buffer-string) "\
kernel f(
    a,
    n,
):
    for i in range(n):  # all
        if a[i] > 0:
            a[i] = g(
                1,
            )
        elif n:
            pass
        a[0] = 1
"))))

;; Lines as they come one below the other; where a block ends is for the author to say.
(ert-deftest lane-headers-without-their-colon-are-headers ()
  (dolist (header '("kernel f(a: f32[n], n: i32)" "fn f(x) -> f32" "struct P" "enum Kind" "    for i in range(n)  # all"
                    "    if a[i] > 0" "    else" "    match kinds[i]" "        case Circle(r)"))
    (with-temp-buffer
      (lane-mode)
      (insert header "\n")
      (lane-indent-line)
      (should (equal (current-column) (+ 4 (- (length header) (length (string-trim-left header))))))))
  (dolist (line '("    a[i] = 0" "    match = a[0]"))
    (with-temp-buffer
      (lane-mode)
      (insert line "\n")
      (lane-indent-line)
      (should (equal (current-column) 4)))))

(ert-deftest lane-lines-go-one-step-out-when-the-command-is-repeated ()
  (with-temp-buffer
    (lane-mode)
    (insert "kernel f(a, n):\n    for i in range(n):\n        a[i] = 0\n")
    (let ((this-command 'lane-indent-line) last-command columns)
      (dotimes (_ 4)
        (lane-indent-line)
        (push (current-column) columns)
        (setq last-command this-command))
      (should (equal (nreverse columns) '(8 4 0 8))))))

(ert-deftest eglot-knows-the-server ()
  (skip-unless (locate-library "eglot"))
  (require 'eglot)
  (let* ((lane-server-command '("/opt/lanescope" "lsp"))
         (contact (cdr (assoc 'lane-mode eglot-server-programs))))
    (should (equal (funcall contact nil) lane-server-command))
    (should (assoc 'ispc-mode eglot-server-programs))))

(ert-deftest lsp-mode-knows-the-server ()
  (skip-unless (locate-library "lsp-mode"))
  (require 'lsp-mode)
  (with-temp-buffer
    (lane-mode)
    (should (equal (lsp-buffer-language) "lane")))
  (with-temp-buffer
    (ispc-mode)
    (should (equal (lsp-buffer-language) "ispc")))
  (should (equal (lsp--client-major-modes (gethash 'lanescope lsp-clients)) '(lane-mode ispc-mode))))

(ert-run-tests-batch-and-exit)
;;; emacs.el ends here
