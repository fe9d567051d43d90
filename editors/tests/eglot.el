;;; eglot.el --- Eglot against the real server -*- lexical-binding: t; -*-

;;; Code:

(require 'eglot)
(require 'flymake)
(require 'lane-mode)

(defun eventually (words condition)
  "Wait until CONDITION holds; leave with 1 where it never does, and say WORDS."
  (let ((deadline (time-add nil 20)))
    (while (and (not (funcall condition)) (time-less-p nil deadline))
      (accept-process-output nil 0.05)))
  (unless (funcall condition)
    (message "not so: %s" words)
    (kill-emacs 1))
  (message "ok: %s" words))

(setq lane-server-command (list (getenv "LANESCOPE") "lsp"))
(find-file (car command-line-args-left))
(setq command-line-args-left nil)
(apply #'eglot--connect (eglot--guess-contact))
(eventually "eglot manages the buffer" #'eglot-managed-p)
;; Nobody is there to look at the buffer, which is when flymake would start by itself.
(flymake-start)
(eventually "the name that is not there is found"
            (lambda ()
              (seq-some (lambda (found) (string-match-p "volumes" (flymake-diagnostic-text found))) (flymake-diagnostics))))
(eglot-shutdown (eglot-current-server))
;;; eglot.el ends here
