;;; server.el --- A client of Emacs against the real server -*- lexical-binding: t; -*-

;;; Commentary:

;; CLIENT names the client: `eglot' or `lsp-mode'.

;;; Code:

(require 'lane-mode)
(load (expand-file-name "support" (file-name-directory load-file-name)) nil t)

(defvar flymake-mode)

(defun go-to (text)
  "Put point in front of the first TEXT."
  (goto-char (point-min))
  (search-forward text)
  (goto-char (match-beginning 0)))

(defun said-in (view)
  "What VIEW says, its title first."
  (with-current-buffer view
    (format "%s\n%s" header-line-format (buffer-string))))

(defun check-views (command)
  "Views of the kernel, which COMMAND opens as an action of the server does."
  (should-be "the stages are known" (member "sequential" (lane-view--stages)))
  (go-to "volumes")
  (kill-word 1)
  (insert "volume")
  (go-to "for i in")
  (let ((source (current-buffer))
        (view (lane-view "sequential")))
    (eventually "the view opens and says what it shows"
                (lambda () (string-match-p "scale · sequential · version [0-9]+[^\n]*\nkernel scale" (said-in view))))
    (should-be "it is opened once" (eq view (lane-view "sequential")))
    (go-to "out[i]")
    (kill-line)
    (insert "out[i] = samples[i] * 4.25")
    (eventually "the view follows the edit" (lambda () (string-match-p "4\\.25" (said-in view))))
    (setq lane-view--last-line nil)
    (run-hooks 'post-command-hook)
    (with-current-buffer view
      (should-be "what point is at is lit in the view"
                 (seq-some (lambda (overlay) (goto-char (overlay-start overlay)) (looking-at-p ".*4\\.25")) lane-view--overlays))
      (go-to "4.25")
      (font-lock-ensure)
      (should-be "the view has colours" (progn (go-to "for") (eq (get-text-property (point) 'face) 'font-lock-keyword-face)))
      (go-to "for i")
      (let ((said ""))
        (advice-add 'message :before (lambda (&rest words) (setq said (apply #'format words))) '((name . said)))
        (lane-view-explain)
        (eventually "a word of the view is explained" (lambda () (string-match-p "one after the other" said)))
        (advice-remove 'message 'said))
      (lane-view-next-stage)
      (eventually "the next stage takes its place" (lambda () (string-match-p "scale · trace" (said-in view))))
      (lane-view-previous-stage)
      (eventually "and the one before comes back" (lambda () (string-match-p "scale · sequential[^\0]*4\\.25" (said-in view))))
      (go-to "4.25")
      (lane-view-go-to-source))
    (should-be "the view leads to the source" (and (eq (current-buffer) source) (looking-at-p "out\\[i\\] = samples")))
    (insert "(")
    (eventually "while the text is broken, the view stays and says so"
                (lambda () (string-match-p "has [0-9a-z]+ errors?[^\n]*\n[^\0]*4\\.25" (said-in view))))
    (should-be "its text is dimmed then"
               (with-current-buffer view
                 (go-to "4.25")
                 (memq 'lane-view-outdated (mapcar (lambda (overlay) (overlay-get overlay 'face)) (overlays-at (point))))))
    (delete-char -1)
    (eventually "and no longer once it is right" (lambda () (not (buffer-local-value 'lane-view--dimmed view))))
    (funcall command)
    (eventually "the server’s own action opens the same kind of view"
                (lambda ()
                  (seq-some (lambda (view) (string-match-p "vector[^\0]*lane_id[^\0]*4\\.25" (said-in view))) lane-view--views)))))

(defun check-jump-and-format (jump format)
  "What JUMP and FORMAT, commands of the client, do."
  (go-to "twice(samples")
  (funcall jump)
  (should-be "the jump leads to the function" (= (line-number-at-pos) 2))
  (go-to "clamp")
  (save-window-excursion
    (funcall jump)
    (should-be "the jump leads into the prelude, for which no server is started"
               (and (eq major-mode 'lane-prelude-mode) buffer-read-only (looking-at-p "clamp"))))
  (go-to "gain = ")
  (delete-char 4)
  (insert " gain ")
  (funcall format)
  (should-be "the formatter runs" (string-match-p "^    let gain = 2\\.5$" (buffer-string))))

(defun with-eglot ()
  "How Eglot gets on."
  (require 'eglot)
  (require 'flymake)
  (apply #'eglot--connect (eglot--guess-contact))
  (eventually "eglot manages the buffer" #'eglot-managed-p)
  ;; Nobody is there to look at the buffer, which is when flymake would start by itself.
  (flymake-start)
  (eventually "the name that is not there is found"
              (lambda ()
                (seq-some (lambda (found) (string-match-p "volumes" (flymake-diagnostic-text found))) (flymake-diagnostics))))
  (go-to "loud * ")
  (eventually "the hover says the type"
              (lambda ()
                (let ((answer (jsonrpc-request (eglot--current-server-or-lose) :textDocument/hover
                                               (eglot--TextDocumentPositionParams))))
                  (string-match-p "loud: f32" (format "%S" answer)))))
  (eglot-rename "gain")
  (eventually "the rename changes both places" (lambda () (string-match-p "\\* gain \\*" (buffer-string))))
  (check-jump-and-format
   (lambda ()
     (let ((xref-prompt-for-identifier nil))
       (call-interactively #'xref-find-definitions)))
   #'eglot-format-buffer)
  (check-views (lambda () (eglot-execute-command (eglot-current-server) 'lanescope.view (vector (list :stage "vector")))))
  (eglot-shutdown (eglot-current-server)))

(defun with-lsp-mode ()
  "How lsp-mode gets on."
  (require 'lsp-mode)
  (require 'lsp-modeline)
  (require 'lsp-headerline)
  (setq lsp-auto-guess-root t
        lsp-enable-snippet nil
        lsp-session-file (expand-file-name "session" (getenv "HOME")))
  (lsp)
  (eventually "lsp-mode manages the buffer"
              (lambda ()
                (and (lsp-workspaces)
                     (seq-every-p (lambda (it) (eq (lsp--workspace-status it) 'initialized)) (lsp-workspaces)))))
  (eventually "the name that is not there is found"
              (lambda () (string-match-p "volumes" (format "%S" (hash-table-values (lsp-diagnostics t))))))
  (go-to "loud * ")
  (eventually "the hover says the type"
              (lambda ()
                (let ((answer (lsp-request "textDocument/hover" (lsp--text-document-position-params))))
                  (string-match-p "loud: f32" (gethash "value" (gethash "contents" answer))))))
  (lsp-rename "gain")
  (eventually "the rename changes both places" (lambda () (string-match-p "\\* gain \\*" (buffer-string))))
  (check-jump-and-format #'lsp-find-definition #'lsp-format-buffer)
  (check-views (lambda ()
                 (let ((action (seq-find (lambda (action) (string-match-p "vector" (lsp-get action :title)))
                                         (lsp-code-actions-at-point))))
                   (lsp-execute-code-action action))))
  (let ((server (lsp--workspace-proc (car (lsp-workspaces)))))
    (lsp-workspace-shutdown (car (lsp-workspaces)))
    (eventually "the server leaves" (lambda () (not (process-live-p server))))
    ;; lsp-mode tells a server to leave and kills it at once; 9 is when that comes first.
    (unless (member (process-exit-status server) '(0 9))
      (message "not so: the server leaves by itself, or is killed")
      (kill-emacs 1))))

(setq lane-server-command (list (getenv "LANESCOPE") "lsp"))
(find-file (car command-line-args-left))
(setq command-line-args-left nil)
(if (equal (getenv "CLIENT") "eglot") (with-eglot) (with-lsp-mode))
;; What is written to the buffer is nobody's to keep.
(kill-emacs 0)
;;; server.el ends here
