;;; story.el --- A first day with kernels in Emacs -*- lexical-binding: t; -*-

;;; Commentary:

;; One is typed with ten mistakes and mended by fixes, gets an example, is tried as it could be, takes the best of what was
;; measured, runs, and is measured.  Leaves with 1 at the first thing that does not hold.

;;; Code:

(require 'lane-mode)
(require 'eglot)
(require 'compile)
(require 'seq)
(load (expand-file-name "support" (file-name-directory load-file-name)) nil t)

(defconst example "\
## > loudness([3, 8, 1, 2], out = zeros(4), n = 4, volume = 0.25)
## 1.875
## out = [0.75, 1.0, 0.25, 0.5]
")

(defun story-text (name)
  "The text of the file NAME of the story."
  (with-temp-buffer
    (insert-file-contents (expand-file-name name (getenv "STORY")))
    (buffer-string)))

(defun go-to (line column)
  "Put point at LINE and COLUMN, both from 1."
  (goto-char (point-min))
  (forward-line (1- line))
  (forward-char (1- column)))

(defun n-errors ()
  "How many errors are marked."
  (seq-count (lambda (found) (eq (flymake-diagnostic-type found) 'eglot-error)) (flymake-diagnostics)))

(defun text-is (text)
  "Whether the buffer has this TEXT, up to its last line break."
  (equal (string-trim-right (buffer-string)) (string-trim-right text)))

(defun menu ()
  "The titles of the actions at point."
  (mapcar (lambda (action) (plist-get action :title)) (eglot-code-actions (point))))

(defun take (title)
  "Choose the action at point whose title begins with TITLE, from the menu; nil if there is none."
  (let ((last-nonmenu-event ?\r) found)
    (cl-letf (((symbol-function 'completing-read)
               (lambda (_ items &rest _)
                 (setq found (car (seq-find (lambda (item) (string-prefix-p title (car item))) items)))
                 (or found (signal 'quit nil)))))
      (condition-case nil
          (eglot-code-actions (point) nil nil t)
        (quit nil)))
    found))

(defun mend (words title done)
  "Take the action TITLE once it is there, say WORDS, and wait until DONE holds."
  (eventually words (lambda () (or (funcall done) (and (take title) (funcall done))))))

(defun said (buffer)
  "What BUFFER says."
  (if (get-buffer buffer) (with-current-buffer buffer (buffer-string)) ""))

(defun run-examples (words verdict)
  "Run the examples, of which VERDICT has to be said, and say WORDS."
  (lane-test)
  (eventually words (lambda ()
                      (let ((said (said "*lane-test*")))
                        (and (string-match-p verdict said) (string-match-p "^Compilation \\(finished\\|exited\\)" said))))))

(setq lane-server-command (list (getenv "LANESCOPE") "lsp")
      ;; Nobody is there to be asked.
      compilation-ask-about-save nil
      eglot-confirm-server-initiated-edits nil)
(find-file (car command-line-args-left))
(setq command-line-args-left nil)

;; Typed line by line: what the indentation makes of each is put right, as one does.
(dolist (line (split-string (string-trim-right (story-text "typed.lane")) "\n"))
  (unless (bobp)
    (newline-and-indent)
    (delete-region (line-beginning-position) (point)))
  (insert line))
(apply #'eglot--connect (eglot--guess-contact))
(eventually "eglot manages the buffer" #'eglot-managed-p)
;; Nobody is there to look at the buffer, which is when flymake would start by itself.
(flymake-start)
(should-be "a kernel is typed with ten mistakes" (text-is (story-text "typed.lane")))
(eventually "and they are found" (lambda () (>= (n-errors) 6)))
(dolist (fix (split-string (story-text "fixes") "\n" t))
  (string-match "\\`\\([0-9]+\\):\\([0-9]+\\) \\(.*\\)\\'" fix)
  (let ((line (string-to-number (match-string 1 fix)))
        (column (string-to-number (match-string 2 fix)))
        (title (match-string 3 fix))
        (before (buffer-string)))
    (go-to line column)
    (mend (concat "a fix mends it: " title) title (lambda () (not (equal before (buffer-string)))))))
(should-be "then the text is the kernel that was meant" (text-is (story-text "mended.lane")))
(eglot--signal-textDocument/didChange)
(eventually "and there is no error" (lambda () (flymake-start) (zerop (n-errors))))

(defconst mended (concat example (story-text "mended.lane")))
(goto-char (point-min))
(insert example)
(run-examples "the kernel gets an example, which passes" "^1 example passed")
(should-be "the file was written before"
           (with-temp-buffer (insert-file-contents (getenv "KERNEL")) (text-is mended)))

(defun beside (line)
  "What stands beside LINE."
  (save-excursion
    (go-to line 1)
    (mapconcat (lambda (overlay) (or (overlay-get overlay 'after-string) ""))
               (overlays-in (line-end-position) (line-end-position)) "")))

(go-to 11 9)
(lane-values nil)
(eventually "the values of its lanes stand beside the lines, on the data of the example"
            (lambda () (and (string-match-p "x = \\[0\\.75, 2\\.0, 0\\.25, 0\\.5" (beside 8))
                            (string-match-p "out = \\[0\\.0, 0\\.0, 0\\.0, 0\\.0\\]" (beside 11)))))
(go-to 8 32)
(insert " * 1.5")
(should-be "the kernel is edited" (string-match-p "samples\\[i\\] \\* volume \\* 1\\.5$" (buffer-string)))
(save-buffer)
(eventually "after an edit the values are other ones"
            (lambda () (string-match-p "x = \\[1\\.125, 3\\.0, 0\\.375, 0\\.75" (beside 8))))
(should-be "and none is beside what comes later" (equal (beside 12) ""))
(lane-values t)
(should-be "they can be hidden" (equal (beside 8) ""))
(run-examples "then the example fails" "expected +1\\.875\n +evaluated +2\\.703125")
(let ((kernel (current-buffer)))
  (save-window-excursion
    (next-error 1 t)
    (should-be "which a line of it leads to" (and (eq (window-buffer) kernel) (= (with-current-buffer kernel (line-number-at-pos)) 1)))))

(let ((view (lane-view "vector"))
      (shows (lambda (view text) (string-match-p text (with-current-buffer view (buffer-string))))))
  (eventually "its lanes are looked at in a view"
              (lambda () (and (funcall shows view "lane_id") (funcall shows view "1\\.5"))))
  (go-to 8 32)
  (delete-char (length " * 1.5"))
  (eventually "which follows when the edit is taken back"
              (lambda () (and (funcall shows view "lane_id") (not (funcall shows view "1\\.5")))))
  (kill-buffer view)
  (run-examples "and the example passes again" "^1 example passed")
  (go-to 7 9)
  (setq view (lane-view "variants"))
  (eventually "what if: targets, lanes and attributes are tried without an edit"
              (lambda () (and (funcall shows view "avx512") (funcall shows view "@reassoc") (funcall shows view "4 lanes"))))
  (should-be "and nothing was written" (text-is mended))
  (kill-buffer view))
(go-to 7 9)
(undo-boundary)
(mend "one of them is a fix" "Write `@reassoc`: about" (lambda () (string-match-p "^@reassoc\nkernel loudness" (buffer-string))))
(undo-boundary)
(undo)
(should-be "which is taken back" (text-is mended))

(go-to 4 9)
(should-be "faster versions can be found" (take "Find faster versions"))
(defvar offers nil)
(eventually "they are measured, and are actions then"
            (lambda ()
              ;; Measuring wants the processor for itself.
              (accept-process-output nil 1)
              (setq offers (seq-filter (lambda (title) (string-match-p "times as fast" title)) (menu))))
            240)
(should-be "they are ranked"
           (let ((times (mapcar #'string-to-number offers)))
             (and (seq-every-p (lambda (it) (> it 1)) times) (equal times (sort (copy-sequence times) #'>)))))
(let ((attribute (and (string-match ": \\(@[[:alnum:]]+\\)" (car offers)) (match-string 1 (car offers)))))
  (mend (concat "the first one is written: " attribute) (car offers)
        (lambda () (string-match-p (concat "^ *" attribute "\\_>") (buffer-string)))))
(run-examples "what was written still gives what the example says" "^1 example passed")
(lane-bench)
(eventually "the kernel is measured"
            (lambda () (string-match-p "GB/s\\(.\\|\n\\)*times as fast as scalar" (said "*lane-bench*")))
            60)
(eglot-shutdown (eglot-current-server))
(kill-emacs 0)
;;; story.el ends here
