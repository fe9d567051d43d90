;;; lane-view.el --- Views of Lane kernels beside their source -*- lexical-binding: t; -*-

;; Author: The Lanescope authors
;; URL: https://github.com/lanescope/lanescope

;;; Commentary:

;; `lane-view' shows the kernel at point as it is at a stage: Lane IR, LLVM IR, assembly.  A view follows the edits of its
;; source and the cursor in it, what belongs together is highlighted on both sides, and RET in a view leads to the source.
;; The language server is asked through eglot or lsp-mode, whichever manages the buffer.

;;; Code:

(require 'seq)
(require 'subr-x)

(defvar lane-font-lock-keywords)
(defvar lane-ir-font-lock-keywords)
(defvar lane-mode-syntax-table)
(defvar asm-font-lock-keywords)
(defvar lsp-managed-mode)
(declare-function eglot-current-server "eglot")
(declare-function eglot--TextDocumentIdentifier "eglot")
(declare-function eglot-managed-p "eglot")
(declare-function eglot--signal-textDocument/didChange "eglot")
(declare-function jsonrpc-async-request "jsonrpc")
(declare-function lsp-request-async "lsp-mode")
(declare-function lsp--text-document-identifier "lsp-mode")
(declare-function lsp-workspaces "lsp-mode")
(declare-function lsp--workspace-server-capabilities "lsp-mode")
(declare-function eglot--capabilities "eglot")

(defcustom lane-view-delay 0.15
  "How many seconds a view waits for the end of a burst of edits."
  :type 'number
  :group 'lane)

(defface lane-view-highlight '((t :inherit highlight))
  "What belongs to the line of the cursor, on the other side."
  :group 'lane)

(defface lane-view-outdated '((t :inherit shadow))
  "A text that is not that of the source as it is, because of an error there."
  :group 'lane)

;; In a source.
(defvar-local lane-view--views nil "The views of this buffer.")
(defvar-local lane-view--timer nil "What asks for the views anew, once the edits have come to an end.")
(defvar-local lane-view--overlays nil "What is highlighted in this buffer.")
(defvar-local lane-view--last-line nil "The line that was highlighted for last.")

;; In a view.
(defvar-local lane-view--source nil "The buffer that is shown.")
(defvar-local lane-view--stage nil "The stage that was asked for.")
(defvar-local lane-view--shown nil "The stage, the language and the target of the text that is shown.")
(defvar-local lane-view--lines nil
  "The source of each line: (LINE START-LINE START-COLUMN END-LINE), from 0.")
(defvar-local lane-view--dimmed nil "The overlay that dims a text which is out of date.")
(defvar-local lane-view--asked 0
  "How often the server was asked; only the last answer counts.")

(define-derived-mode lane-view-mode special-mode "Lane View"
  "Major mode for views of Lane kernels."
  :syntax-table nil
  (when (boundp 'lane-mode-syntax-table)
    (set-syntax-table lane-mode-syntax-table))
  (add-hook 'post-command-hook #'lane-view--moved-in-view nil t)
  (add-hook 'kill-buffer-hook #'lane-view--closed nil t))

(define-key lane-view-mode-map (kbd "RET") #'lane-view-go-to-source)
(define-key lane-view-mode-map (kbd "e") #'lane-view-explain)
(define-key lane-view-mode-map (kbd "n") #'lane-view-next-stage)
(define-key lane-view-mode-map (kbd "p") #'lane-view-previous-stage)
(define-key lane-view-mode-map [remap xref-find-definitions] #'lane-view-go-to-source)

(defun lane-view--get (answer key)
  "What ANSWER, a table of lsp-mode or a list of properties, has for KEY."
  (if (hash-table-p answer)
      (gethash key answer)
    (plist-get answer (intern (concat ":" key)))))

(defun lane-view--eglot-p ()
  "Whether eglot manages the current buffer."
  (and (fboundp 'eglot-managed-p) (eglot-managed-p)))

(defun lane-view--ask (line stage answered failed)
  "Ask for the view of what is at LINE, from 0, at STAGE.
ANSWERED is called with it, or FAILED with a code and a message."
  (let ((params (lambda (document)
                  `(:textDocument ,document :position (:line ,line :character 0) ,@(and stage (list :stage stage))))))
    (cond
     ((lane-view--eglot-p)
      ;; Eglot keeps edits back for a while; a view is a view of all of them.
      (eglot--signal-textDocument/didChange)
      (jsonrpc-async-request
       (eglot-current-server) :lanescope/view (funcall params (eglot--TextDocumentIdentifier))
       :success-fn answered
       :error-fn failed))
     ((bound-and-true-p lsp-managed-mode)
      (lsp-request-async "lanescope/view" (funcall params (lsp--text-document-identifier)) answered
                         :mode 'alive
                         :error-handler failed))
     (t (funcall failed '(:message "No language server manages the source."))))))

(defun lane-view--ask-word (word answered)
  "Ask what WORD, a list of properties, means; ANSWERED is called with the answer."
  (let ((failed (lambda (&rest _) (message "The server has no explanation"))))
    (cond
     ((lane-view--eglot-p)
      (jsonrpc-async-request (eglot-current-server) :lanescope/explainWord word :success-fn answered :error-fn failed))
     ((bound-and-true-p lsp-managed-mode)
      (lsp-request-async "lanescope/explainWord" word answered :mode 'alive :error-handler failed)))))

(defun lane-view-explain ()
  "Explain the op or instruction at point: what it does, and what it takes."
  (interactive)
  (pcase-let* ((`(,_ ,language ,target) lane-view--shown)
               (line (buffer-substring-no-properties (line-beginning-position) (line-end-position)))
               ;; All that is asked about is before non-ASCII letters, if there are any.
               (character (- (point) (line-beginning-position)))
               (word `(:languageId ,language ,@(and target (list :target target)) :line ,line :character ,character)))
    (with-current-buffer lane-view--source
      (lane-view--ask-word word
                           (lambda (answer)
                             (message "%s" (if answer
                                               (lane-view--get (lane-view--get answer "contents") "value")
                                             "There is nothing to say of this word")))))))

(defun lane-view--show-other (step)
  "Show the stage that is STEP behind the one of the current buffer, in its place."
  (let* ((stages (with-current-buffer lane-view--source (lane-view--stages)))
         (at (seq-position stages (car lane-view--shown)))
         (wanted (and at (+ at step))))
    (if (and wanted (<= 0 wanted) (nth wanted stages))
        (progn
          (setq lane-view--stage (nth wanted stages))
          (lane-view--refresh (current-buffer)))
      (message "There is no stage beyond this one"))))

(defun lane-view-next-stage ()
  "Show the next stage in the place of this one."
  (interactive)
  (lane-view--show-other 1))

(defun lane-view-previous-stage ()
  "Show the stage before this one in its place."
  (interactive)
  (lane-view--show-other -1))

(defun lane-view--stages ()
  "The names of the stages, as the server lists them."
  (let* ((capabilities (cond ((lane-view--eglot-p) (eglot--capabilities (eglot-current-server)))
                             ((bound-and-true-p lsp-managed-mode)
                              (lsp--workspace-server-capabilities (car (lsp-workspaces))))))
         (experimental (and capabilities (lane-view--get capabilities "experimental")))
         (ours (and experimental (lane-view--get experimental "lanescope"))))
    (mapcar (lambda (stage) (lane-view--get stage "name")) (and ours (lane-view--get ours "stages")))))

;;;###autoload
(defun lane-view (stage)
  "Show the kernel at point at STAGE, beside its source.
Without one it is the stage that the server is set to."
  (interactive
   (with-current-buffer (or lane-view--source (current-buffer))
     (let ((stage (completing-read "Stage (empty: as it is set): " (lane-view--stages) nil t)))
       (list (unless (string-empty-p stage) stage)))))
  (with-current-buffer (or lane-view--source (current-buffer))
    (unless (or (lane-view--eglot-p) (bound-and-true-p lsp-managed-mode))
      (user-error "No language server manages this buffer"))
    (let* ((source (current-buffer))
           (of-stage (lambda (view) (equal (buffer-local-value 'lane-view--stage view) stage)))
           (view (or (seq-find of-stage lane-view--views)
                     (generate-new-buffer (format "*%s: %s*" (buffer-name) (or stage "view"))))))
      (unless (memq view lane-view--views)
        (push view lane-view--views)
        (with-current-buffer view
          (lane-view-mode)
          (setq lane-view--source source
                lane-view--stage stage)))
      (add-hook 'after-change-functions #'lane-view--edited nil t)
      (add-hook 'post-command-hook #'lane-view--moved-in-source nil t)
      (add-hook 'kill-buffer-hook #'lane-view--source-closed nil t)
      (lane-view--refresh view)
      (display-buffer view '((display-buffer-reuse-window display-buffer-use-some-window display-buffer-pop-up-window)
                             (inhibit-same-window . t)))
      view)))

(defun lane-view--refresh (view)
  "Ask for VIEW anew.
While there is nothing to show, the last good text stays, with a note."
  (let* ((source (buffer-local-value 'lane-view--source view))
         (question (with-current-buffer view (setq lane-view--asked (1+ lane-view--asked))))
         (for-view (lambda (do)
                     (lambda (answer)
                       (when (and (buffer-live-p view) (= question (buffer-local-value 'lane-view--asked view)))
                         (with-current-buffer view (funcall do answer)))))))
    (with-current-buffer source
      (lane-view--ask (1- (line-number-at-pos nil t)) (buffer-local-value 'lane-view--stage view)
                      (funcall for-view #'lane-view--show)
                      (funcall for-view #'lane-view--failed)))))

(defun lane-view--show (answer)
  "Show ANSWER in the current buffer, a view."
  (when answer
    (let ((inhibit-read-only t)
          (text (lane-view--get answer "text"))
          (note (lane-view--get answer "note")))
      (unless (equal text (buffer-string))
        (let ((view (current-buffer)))
          (with-temp-buffer
            (insert text)
            (let ((new (current-buffer)))
              ;; The cursor and the window stay where they are, as far as the text does.
              (with-current-buffer view (replace-buffer-contents new))))))
      (setq lane-view--shown (mapcar (lambda (key) (lane-view--get answer key)) '("stage" "languageId" "target"))
            lane-view--lines (delq nil (mapcar #'lane-view--line (lane-view--get answer "lines")))
            header-line-format
            (list " " (string-join (delq nil (list (lane-view--get answer "name") (lane-view--get answer "stage")
                                                   (when-let ((version (lane-view--get answer "version")))
                                                     (format "version %s" version))))
                                   " · ")
                  (when note (propertize (concat "  " (lane-view--as-title note)) 'face 'warning))))
      (lane-view--colour (lane-view--get answer "languageId"))
      (lane-view--dim (eq (lane-view--get answer "outdated") t)))))

(defun lane-view--dim (outdated)
  "Dim the text of the current buffer, a view, if it is OUTDATED."
  (when lane-view--dimmed
    (delete-overlay lane-view--dimmed))
  (setq lane-view--dimmed (and outdated (make-overlay (point-min) (point-max))))
  (when outdated
    (overlay-put lane-view--dimmed 'face 'lane-view-outdated)
    ;; The line of the cursor stands out of a dimmed text, too.
    (overlay-put lane-view--dimmed 'priority -1)))

(defun lane-view--as-title (words)
  "WORDS as a header line shows them."
  (replace-regexp-in-string "%" "%%" words t t))

(defconst lane-view--content-modified -32801
  "What the server answers where the text has changed under the question.")

(defun lane-view--failed (answer)
  "Say in the current buffer, a view, why there is no newer one: the error ANSWER."
  (if (equal (lane-view--get answer "code") lane-view--content-modified)
      (with-current-buffer lane-view--source (lane-view--edited))
    (lane-view--dim t)
    (setq header-line-format (concat " " (lane-view--as-title (lane-view--get answer "message"))))))

(defun lane-view--line (entry)
  "What ENTRY of an answer says of a line, as in `lane-view--lines'."
  (when-let ((range (lane-view--get entry "range")))
    (let ((start (lane-view--get range "start"))
          (end (lane-view--get range "end")))
      (list (lane-view--get entry "line") (lane-view--get start "line") (lane-view--get start "character")
            (lane-view--get end "line")))))

(defun lane-view--colour (language)
  "Colour the current buffer as LANGUAGE."
  (setq-local font-lock-defaults
              (list (pcase language
                      ("lane-ir" lane-ir-font-lock-keywords)
                      ("lane" lane-font-lock-keywords)
                      ("asm" (require 'asm-mode) asm-font-lock-keywords)
                      (_ nil))))
  (font-lock-set-defaults)
  (font-lock-flush))

(defun lane-view--lines-of (view line)
  "The lines of VIEW whose source starts at LINE.
Without one, those of the innermost range around it."
  (let* ((all (buffer-local-value 'lane-view--lines view))
         (around (seq-filter (lambda (entry) (<= (nth 1 entry) line (nth 3 entry))) all))
         (size (lambda (entry) (- (nth 3 entry) (nth 1 entry))))
         (least (and around (apply #'min (mapcar size around)))))
    (mapcar #'car (or (seq-filter (lambda (entry) (= (nth 1 entry) line)) all)
                      (seq-filter (lambda (entry) (= (funcall size entry) least)) around)))))

(defun lane-view--highlight (buffer lines)
  "Highlight LINES, from 0, of BUFFER and nothing else, and show the first."
  (when (buffer-live-p buffer)
    (with-current-buffer buffer
      (mapc #'delete-overlay lane-view--overlays)
      (setq lane-view--overlays nil)
      (save-restriction
        (widen)
        (dolist (line lines)
          (save-excursion
            (goto-char (point-min))
            (when (zerop (forward-line line))
              (let ((overlay (make-overlay (point) (line-beginning-position 2))))
                (overlay-put overlay 'face 'lane-view-highlight)
                (push overlay lane-view--overlays))))))
      (when-let ((first (car (last lane-view--overlays)))
                 (window (get-buffer-window buffer)))
        (set-window-point window (overlay-start first))))))

(defun lane-view--moved-in-source ()
  "Highlight in the views what shows the line of the cursor."
  (let ((line (1- (line-number-at-pos nil t))))
    (unless (eql line lane-view--last-line)
      (setq lane-view--last-line line)
      (dolist (view lane-view--views)
        (let ((lines (lane-view--lines-of view line)))
          (lane-view--highlight view lines)
          ;; Nothing of the view is from here, so the view of another kernel may be wanted.
          (unless lines
            (lane-view--refresh view)))))))

(defun lane-view--entry ()
  "What is known of the line of the cursor in a view."
  (assq (1- (line-number-at-pos nil t)) lane-view--lines))

(defun lane-view--moved-in-view ()
  "Highlight the source of the line of the cursor."
  (let ((entry (lane-view--entry)))
    (lane-view--highlight lane-view--source (and entry (number-sequence (nth 1 entry) (nth 3 entry))))))

(defun lane-view-go-to-source ()
  "Go to the source of the line of the cursor."
  (interactive)
  (let ((entry (or (lane-view--entry) (user-error "This line has no source of its own"))))
    (pop-to-buffer lane-view--source)
    (push-mark nil t)
    (goto-char (point-min))
    (forward-line (nth 1 entry))
    (forward-char (min (nth 2 entry) (- (line-end-position) (point))))))

(defun lane-view--edited (&rest _)
  "Have the views of the current buffer asked for anew, soon."
  (when (timerp lane-view--timer)
    (cancel-timer lane-view--timer))
  (setq lane-view--timer (run-with-timer lane-view-delay nil #'lane-view--refresh-all (current-buffer))))

(defun lane-view--refresh-all (source)
  "Ask for all views of SOURCE anew."
  (when (buffer-live-p source)
    (mapc #'lane-view--refresh (buffer-local-value 'lane-view--views source))))

(defun lane-view--closed ()
  "Forget the current buffer, a view."
  (let ((view (current-buffer)))
    (when (buffer-live-p lane-view--source)
      (lane-view--highlight lane-view--source nil)
      (with-current-buffer lane-view--source
        (setq lane-view--views (delq view lane-view--views))))))

(defun lane-view--source-closed ()
  "Close the views of the current buffer."
  (mapc #'kill-buffer (copy-sequence lane-view--views)))

(defun lane-view--open (wanted)
  "Open the view that WANTED, the argument of `lanescope.view', asks for."
  (when-let ((position (lane-view--get wanted "position"))
             (line (lane-view--get position "line")))
    ;; A lens may stand over another kernel than the one at point; an action is about where point is already.
    (unless (= line (1- (line-number-at-pos nil t)))
      (goto-char (point-min))
      (forward-line line)))
  (lane-view (lane-view--get wanted "stage")))

;; Eglot asks the server to execute commands; this one is executed here.  Newer versions have one function for all actions.
(defun lane-view--eglot-command (execute server command arguments)
  "Open a view if COMMAND is for one.
Else have EXECUTE do it with SERVER, COMMAND and ARGUMENTS."
  (if (eq command 'lanescope.view)
      (lane-view--open (elt arguments 0))
    (funcall execute server command arguments)))

(defun lane-view--eglot-action (execute server action)
  "Open a view if ACTION is for one.
Else have EXECUTE do it with SERVER and ACTION."
  (if (equal (plist-get action :command) "lanescope.view")
      (lane-view--open (elt (plist-get action :arguments) 0))
    (funcall execute server action)))

(with-eval-after-load 'eglot
  (advice-add 'eglot-execute-command :around #'lane-view--eglot-command)
  (when (fboundp 'eglot-execute)
    (advice-add 'eglot-execute :around #'lane-view--eglot-action)))

(defun lane-view-lsp-handlers ()
  "What lsp-mode does for commands of the server."
  (let ((handlers (make-hash-table :test #'equal)))
    (puthash "lanescope.view" (lambda (command) (lane-view--open (elt (lane-view--get command "arguments") 0))) handlers)
    handlers))

(provide 'lane-view)
;;; lane-view.el ends here
