;;; support.el --- What server.el and story.el share -*- lexical-binding: t; -*-

;;; Code:

(defun eventually (words condition &optional seconds)
  "Wait until CONDITION holds, for SECONDS; leave with 1 where it never does, and say WORDS."
  (let ((deadline (time-add nil (or seconds 30))))
    (while (and (not (funcall condition)) (time-less-p nil deadline))
      (accept-process-output nil 0.05)))
  (unless (funcall condition)
    (message "not so: %s" words)
    (kill-emacs 1))
  (message "ok: %s" words))

(defun should-be (words holds)
  "Leave with 1 unless it HOLDS, and say WORDS."
  (eventually words (lambda () holds)))

;;; support.el ends here
