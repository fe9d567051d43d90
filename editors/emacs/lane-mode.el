;;; lane-mode.el --- Major mode for Lane kernels -*- lexical-binding: t; -*-

;; Author: The Lanescope authors
;; Version: 0.1.0
;; Package-Requires: ((emacs "27.1"))
;; Keywords: languages
;; URL: https://github.com/lanescope/lanescope

;;; Commentary:

;; Colours, indentation and an outline for Lane, the language of data-parallel kernels, and the language server
;; `lanescope' for eglot and lsp-mode, whichever is there.  `lane-ir-mode' colours Lane IR.

;;; Code:

(require 'lane-values)
(require 'lane-view)

(defgroup lane nil
  "Data-parallel kernels."
  :group 'languages
  :prefix "lane-")

(defcustom lane-server-command '("lanescope" "lsp")
  "The program that is the language server, and its arguments."
  :type '(repeat string))

(defcustom lane-indent-offset 4
  "How many spaces a block is deeper than its header."
  :type 'natnum
  :safe #'natnump)

(defvar lane-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?_ "_" table)
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    ;; A backslash begins a lambda, and a quote that has no other on its line begins nothing: `lane--quotes' says which do.
    (modify-syntax-entry ?\" "." table)
    (modify-syntax-entry ?' "." table)
    (modify-syntax-entry ?\\ "." table)
    (dolist (operator '(?+ ?- ?* ?/ ?% ?< ?> ?= ?& ?| ?^ ?~ ?! ?@))
      (modify-syntax-entry operator "." table))
    table)
  "Syntax table of `lane-mode'.")

(defconst lane--quotes
  (syntax-propertize-rules
   ("\\(\"\\)\\(?:[^\"\\\n]\\|\\\\.\\)*\\(\"\\)" (1 "|") (2 "|"))
   ("\\('\\)\\(?:[^'\\\n]\\|\\\\.[[:xdigit:]]*\\)\\('\\)" (1 "|") (2 "|")))
  "Marks the quotes around texts and characters.")

(defconst lane--scalars '("bool" "i8" "i16" "i32" "i64" "u8" "u16" "u32" "u64" "f32" "f64" "f16" "bf16"))

(defconst lane--functions
  '("min" "max" "abs" "clamp" "select" "sqrt" "rsqrt" "rcp" "floor" "ceil" "round" "trunc" "fma" "mul_add" "exp"
    "exp2" "exp10" "expm1" "log" "log2" "log10" "log1p" "log_base" "pow" "sin" "cos" "sincos" "tan" "sinpi" "cospi"
    "asin" "acos" "atan" "atan2" "sinh" "cosh" "tanh" "asinh" "acosh" "atanh" "cbrt" "hypot" "erf" "erfc"
    "mix" "lerp" "step" "smoothstep" "fract" "sign" "copysign" "degrees" "radians" "ldexp" "frexp_fraction"
    "frexp_exponent" "nextafter" "isnan" "is_finite" "to_bits" "from_bits" "mul_high" "cast_like" "popcount" "clz" "ctz"
    "rotate_left" "rotate_right" "abs_diff" "add_sat" "sub_sat" "avg_round"
    "load_u16" "store_u16" "load_i16" "store_i16" "load_u32" "store_u32" "load_i32" "store_i32"
    "load_u64" "store_u64" "load_i64" "store_i64" "load_f32" "store_f32" "load_f64" "store_f64"
    "atomic_add" "atomic_min" "atomic_max" "atomic_and" "atomic_or" "atomic_xor" "atomic_exchange" "prefetch"
    "cross" "normalize" "distance" "reflect" "determinant" "inverse" "diagonal" "byte_swap" "reverse_bits" "cast_sat"
    "largest" "lowest" "pi" "tau" "inf" "nan"
    "range" "enumerate" "reversed" "map" "reduce" "scan" "iota" "replicate" "zip"
    "length" "sum" "mean" "product" "minimum" "maximum" "argmin" "argmax" "count" "filter" "reverse" "transpose"
    "flatten" "reshape" "concat" "gather" "scatter" "cumsum" "diff" "dot" "linspace" "outer" "matmul"
    "any" "all" "none" "reduce_add" "reduce_min" "reduce_max" "broadcast" "rotate" "shuffle" "scan_add"
    "compress_store" "expand_load"))

(defvar lane-font-lock-keywords
  `(("^##\\(?:[^#\n].*\\)?$" 0 font-lock-doc-face t)
    ("^\\s-*\\(@\\s-*[[:alpha:]_][[:alnum:]_]*\\)" 1 font-lock-preprocessor-face)
    ;; A field may be called what something else is called.
    ("\\.\\s-*\\([[:alpha:]_][[:alnum:]_]*\\)" 1 'default)
    ("^\\(kernel\\|fn\\)\\_>\\s-*\\([[:alpha:]_][[:alnum:]_]*\\)?"
     (1 font-lock-keyword-face) (2 font-lock-function-name-face nil t))
    ("^\\(struct\\)\\_>\\s-*\\([[:alpha:]_][[:alnum:]_]*\\)?"
     (1 font-lock-keyword-face) (2 font-lock-type-face nil t))
    ("^\\(use\\)\\s-+[[:alpha:]_.]" 1 font-lock-keyword-face)
    ("^\\(enum\\)\\s-+\\([[:alpha:]_][[:alnum:]_]*\\)" (1 font-lock-keyword-face) (2 font-lock-type-face))
    ("^\\s-+\\(match\\|case\\)\\_>[^=\n]*:" 1 font-lock-keyword-face)
    ("^\\(const\\)\\_>\\s-*\\([[:alpha:]_][[:alnum:]_]*\\)?"
     (1 font-lock-keyword-face) (2 font-lock-constant-face nil t))
    ("\\_<\\(let\\)\\_>\\s-*\\([[:alpha:]_][[:alnum:]_]*\\)?"
     (1 font-lock-keyword-face) (2 font-lock-variable-name-face nil t))
    ("\\_<\\(static\\)\\s-+\\(?:for\\|if\\|assert\\)\\_>" 1 font-lock-keyword-face)
    (,(regexp-opt '("uniform" "varying" "for" "foreach" "cfor" "in" "while" "cwhile" "if" "cif" "elif" "else"
                    "break" "continue" "return" "pass" "assert" "and" "or" "not")
                  'symbols)
     . font-lock-keyword-face)
    (,(regexp-opt '("true" "false" "lane_id" "LANES") 'symbols) . font-lock-constant-face)
    (,(regexp-opt lane--scalars 'symbols) . font-lock-type-face)
    ;; Built-in functions are no reserved words: a name is one only where it is called.
    (,(concat (regexp-opt lane--functions 'symbols) "\\s-*(") 1 font-lock-builtin-face))
  "What `lane-mode' colours besides comments.")

(defvar lane-imenu-generic-expression
  '(("Kernels" "^kernel\\s-+\\([[:alnum:]_]+\\)" 1)
    ("Functions" "^fn\\s-+\\([[:alnum:]_]+\\)" 1)
    ("Enums" "^enum\\s-+\\([[:alnum:]_]+\\)" 1)
    ("Structs" "^struct\\s-+\\([[:alnum:]_]+\\)" 1)
    ("Constants" "^const\\s-+\\([[:alnum:]_]+\\)" 1)))

(defun lane--to-code-before ()
  "Go to the start of the last line of code before this one, if there is one."
  (let (found)
    (while (and (not found) (zerop (forward-line -1)))
      (setq found (not (looking-at-p "\\s-*\\(?:#\\|$\\)"))))
    found))

(defconst lane--header
  (concat "\\(?:\\(?:kernel\\|fn\\)\\_>[^#\n]*)\\(?:\\s-*->[^:#\n]*\\)?"
          "\\|\\(?:struct\\|enum\\)\\s-+[[:alnum:]_]+"
          "\\|\\s-*else"
          "\\|\\s-*\\(?:match\\|case\\)\\s-+[^=:#\n]*[][:alnum:]_)]"
          "\\|\\s-*\\(?:for\\|foreach\\|cfor\\|while\\|cwhile\\|if\\|cif\\|elif\\)\\_>[^:#\n]*[][:alnum:]_)]\\)"
          "\\s-*\\(?:#.*\\)?$")
  "A header whose colon is still missing.")

(defun lane--opens-block-p ()
  "Whether the line at point heads a block, with its colon or without."
  (or (looking-at-p "[^#\n]*:\\s-*\\(?:#.*\\)?$")
      (looking-at-p lane--header)))

(defun lane--statement-indentation ()
  "The indentation of the statement that the line at point ends."
  (save-excursion
    (back-to-indentation)
    ;; A line may end what began, in brackets, further up.
    (let ((end (line-end-position)) outer)
      (while (and (re-search-forward "[])]" end t)
                  (setq outer (nth 1 (save-excursion (syntax-ppss (1- (point))))))
                  (< outer (line-beginning-position)))
        (goto-char outer)
        (back-to-indentation)
        (setq end (line-end-position))))
    (current-indentation)))

(defun lane--indentation ()
  "How deep the line at point goes, as far as the lines above tell."
  (save-excursion
    (beginning-of-line)
    (let ((bracket (nth 1 (syntax-ppss)))
          (closes (looking-at-p "\\s-*[])]"))
          (otherwise (looking-at-p "\\s-*\\(?:elif\\|else\\)\\_>")))
      (cond
       ((looking-at-p "##\\|@\\|\\(?:kernel\\|fn\\|struct\\|const\\)\\_>\\|\\(?:enum\\|use\\)\\s-") 0)
       (bracket
        (goto-char bracket)
        (+ (current-indentation) (if closes 0 lane-indent-offset)))
       ((not (lane--to-code-before)) 0)
       (t
        (let ((indentation (lane--statement-indentation)))
          (cond
           ((lane--opens-block-p) (+ indentation lane-indent-offset))
           ((or otherwise (looking-at-p "\\s-*\\(?:return\\|break\\|continue\\|pass\\)\\_>"))
            (max 0 (- indentation lane-indent-offset)))
           (t indentation))))))))

(defun lane-indent-line ()
  "Indent the line, and one step further out each time the command is repeated.
Where a block ends is only for its author to say."
  (interactive)
  (let* ((wanted (lane--indentation))
         (current (current-indentation))
         (again (and (eq this-command last-command) (memq this-command '(indent-for-tab-command lane-indent-line))))
         (column (cond ((and again (> current 0)) (* lane-indent-offset (/ (1- current) lane-indent-offset)))
                       (t wanted)))
         (from-end (- (point-max) (point))))
    (indent-line-to column)
    (when (> (- (point-max) from-end) (point))
      (goto-char (- (point-max) from-end)))))

;;;###autoload
(define-derived-mode lane-mode prog-mode "Lane"
  "Major mode for Lane kernels."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+\\s-*")
  (setq-local indent-tabs-mode nil)
  (setq-local tab-width 4)
  (setq-local indent-line-function #'lane-indent-line)
  ;; A region keeps what its blocks are.
  (setq-local electric-indent-inhibit t)
  (setq-local beginning-of-defun-function
              (lambda (&optional arg) (re-search-backward "^\\(?:kernel\\|fn\\|struct\\|enum\\|const\\)\\_>" nil t arg)))
  (setq-local imenu-generic-expression lane-imenu-generic-expression)
  (setq-local syntax-propertize-function lane--quotes)
  (setq-local font-lock-defaults '(lane-font-lock-keywords)))

(defvar lane-ir-font-lock-keywords
  `(("^\\s-*\\(@[[:alpha:]_][[:alnum:]_]*\\)" 1 font-lock-preprocessor-face)
    ("\\_<\\(gather\\|scatter\\)(" 1 font-lock-warning-face)
    ("\\_<\\([a-z]+_\\(?:load\\|store\\)\\)(" 1 font-lock-builtin-face)
    (,(regexp-opt '("kernel" "let" "for" "foreach" "cfor" "vector_for" "while" "cwhile" "in" "do" "with" "reducing" "from"
                    "if" "cif" "else" "yield" "return" "pass")
                  'symbols)
     . font-lock-keyword-face)
    (,(regexp-opt '("true" "false" "inf" "nan" "lane_id" "LANES") 'symbols) . font-lock-constant-face)
    (,(regexp-opt lane--scalars 'symbols) . font-lock-type-face))
  "What `lane-ir-mode' colours.")

;;;###autoload
(define-derived-mode lane-ir-mode prog-mode "Lane IR"
  "Major mode for Lane IR, the text of a kernel at a stage."
  :syntax-table lane-mode-syntax-table
  (setq-local comment-start "# ")
  (setq-local font-lock-defaults '(lane-ir-font-lock-keywords)))

;; Definitions lead into files of the server's own, in a folder of its own.  As files of a project of theirs they would have a
;; server started for them, so they have another mode, without the hooks that do so.
;;;###autoload
(define-derived-mode lane-prelude-mode prog-mode "Lane Prelude"
  "Major mode for the functions that are built into Lane."
  :syntax-table lane-mode-syntax-table
  (setq-local comment-start "# ")
  (setq-local font-lock-defaults '(lane-font-lock-keywords))
  (setq buffer-read-only t))

;;;###autoload
(define-derived-mode ispc-mode c-mode "ISPC"
  "Major mode for ISPC sources: C, and the words that C does not have."
  (font-lock-add-keywords
   nil
   `((,(regexp-opt '("uniform" "varying" "export" "task" "soa" "template" "typename" "unmasked" "noinline" "foreach"
                     "foreach_tiled" "foreach_active" "foreach_unique" "in" "cif" "cfor" "cwhile" "cdo" "launch" "sync" "new"
                     "delete" "print" "assert")
                   'symbols)
      . font-lock-keyword-face)
     (,(regexp-opt '("bool" "int8" "int16" "int32" "int64" "uint" "uint8" "uint16" "uint32" "uint64" "float16") 'symbols)
      . font-lock-type-face)
     (,(regexp-opt '("programIndex" "programCount" "taskIndex" "taskCount") 'symbols) . font-lock-constant-face))))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.\\(?:ispc\\|isph\\|ih\\)\\'" . ispc-mode))
;;;###autoload
(add-to-list 'auto-mode-alist '("\\.lane\\'" . lane-mode))
;;;###autoload
(add-to-list 'auto-mode-alist '("/lanescope-views-[^/]+/[^/]+\\.lane\\'" . lane-prelude-mode))
;;;###autoload
(add-to-list 'auto-mode-alist '("\\.laneir\\'" . lane-ir-mode))

;; What is run is the program that is the server.  Its findings have the form FILE:LINE:, which the buffer of a compilation leads from.
(defun lane--run (command &rest more)
  "Have the program do COMMAND, with MORE words, with the current file."
  (unless (and (derived-mode-p 'lane-mode) buffer-file-name)
    (user-error "This buffer is no file with kernels"))
  (save-buffer)
  (let ((words (append (list (car lane-server-command) command buffer-file-name) more))
        ;; A place that is painted is none that leads anywhere.
        (process-environment (cons "NO_COLOR=1" process-environment)))
    (compilation-start (mapconcat #'shell-quote-argument words " ") nil
                       (lambda (_) (format "*lane-%s*" command)))))

(defun lane--kernel ()
  "The line and the name of the kernel at point, or nil.
A word in column 0 starts an item."
  (save-excursion
    (end-of-line)
    (when (re-search-backward "^\\([[:lower:]]+\\)\\s-+\\([[:alpha:]_][[:alnum:]_]*\\)" nil t)
      (let ((name (match-string-no-properties 2)))
        (and (equal (match-string 1) "kernel") (cons (line-number-at-pos nil t) name))))))

;;;###autoload
(defun lane-test ()
  "Run the examples in the documentation of the kernels of the current file."
  (interactive)
  (lane--run "test"))

;;;###autoload
(defun lane-bench ()
  "Measure the kernel at point."
  (interactive)
  (let ((kernel (lane--kernel)))
    (apply #'lane--run "bench" (and kernel (list "--kernel" (cdr kernel))))))

(defun lane--show-values ()
  "Show the values of lanes anew, of the file as it was saved."
  (lane-values-refresh (car lane-server-command) #'lane--kernel))

;;;###autoload
(defun lane-values (hide)
  "Show beside the lines what a run has in all lanes when it comes to point.
It is a run on the data of the first example in the kernel's
documentation, and one anew after each save.  With a prefix argument,
HIDE the values."
  (interactive "P")
  (lane-values--clear)
  (remove-hook 'after-save-hook #'lane--show-values t)
  (unless hide
    (save-buffer)
    (setq lane-values--place (copy-marker (point)))
    (add-hook 'after-save-hook #'lane--show-values nil t)
    (lane--show-values)))

(defvar eglot-server-programs)
(with-eval-after-load 'eglot
  (dolist (mode '(lane-mode ispc-mode))
    (add-to-list 'eglot-server-programs (cons mode (lambda (&rest _) lane-server-command)))))

(defvar lsp-language-id-configuration)
(declare-function lsp-register-client "lsp-mode")
(declare-function lsp-stdio-connection "lsp-mode")
(declare-function make-lsp-client "lsp-mode")
(with-eval-after-load 'lsp-mode
  (add-to-list 'lsp-language-id-configuration '(lane-mode . "lane"))
  (add-to-list 'lsp-language-id-configuration '(ispc-mode . "ispc"))
  (lsp-register-client
   (make-lsp-client :new-connection (lsp-stdio-connection (lambda () lane-server-command))
                    :major-modes '(lane-mode ispc-mode)
                    :action-handlers (lane-view-lsp-handlers)
                    :server-id 'lanescope)))

(provide 'lane-mode)
;;; lane-mode.el ends here
