;;; lane-values.el --- Values of lanes beside the lines of Lane kernels -*- lexical-binding: t; -*-

;; Author: The Lanescope authors
;; Keywords: languages
;; URL: https://github.com/lanescope/lanescope

;;; Commentary:

;; The values are those that a run has when it comes to a line, on the data of the kernel's first example.  `lanescope dap' runs it,
;; in one session for each question: to a breakpoint at the line, what there is, and the end.

;;; Code:

(require 'cl-lib)
(require 'seq)

(defface lane-values '((t :inherit shadow))
  "Face of the values beside lines."
  :group 'lane)

(defvar-local lane-values--overlays nil "The values that are shown.")
(defvar-local lane-values--place nil "A marker in the line that a run is to come to.")
(defvar-local lane-values--asked 0 "The number of questions so far; answers of older ones are late.")

(defun lane-values--split (received)
  "The first message of RECEIVED, bytes, and what is behind it.
Nil while it is not all there."
  (when (string-match "Content-Length: \\([0-9]+\\)\r\n\r\n" received)
    (let* ((start (match-end 0))
           (end (+ start (string-to-number (match-string 1 received)))))
      (when (<= end (length received))
        (cons (json-parse-string (decode-coding-string (substring received start end) 'utf-8) :object-type 'plist)
              (substring received end))))))

(defun lane-values--connect (program heard)
  "Start PROGRAM as a debug adapter.
HEARD is called with its events, and with answers that are errors.  The
result is the process, and a function that sends a request."
  (let* ((received "") (n-sent 0) waiting process)
    (setq process
          (make-process
           :name "lane-values" :command (list program "dap") :connection-type 'pipe :coding 'binary :noquery t
           :filter (lambda (_ output)
                     (setq received (concat received output))
                     (let (next)
                       (while (setq next (lane-values--split received))
                         (setq received (cdr next))
                         (let* ((message (car next))
                                (answered (alist-get (plist-get message :request_seq) waiting)))
                           (if (and answered (eq (plist-get message :success) t))
                               (funcall answered (plist-get message :body))
                             (funcall heard message))))))))
    (cons process
          (lambda (request arguments &optional answered)
            (setq n-sent (1+ n-sent))
            (push (cons n-sent answered) waiting)
            (let ((body (json-serialize
                         `(:seq ,n-sent :type "request" :command ,request ,@(and arguments (list :arguments arguments))))))
              (process-send-string process (format "Content-Length: %d\r\n\r\n%s" (string-bytes body) body)))))))

(defun lane-values--at (program file kernel line answered)
  "Have PROGRAM run KERNEL of FILE to LINE.
ANSWERED is called with the values by their names, or with nil and the reason."
  (let (process send is-done)
    (cl-labels
        ;; What was said before the end is still heard behind it.
        ((done (values &optional why)
           (unless is-done
             (setq is-done t)
             (delete-process process)
             (funcall answered values why)))
         (collect (scopes values)
           (if (null scopes)
               (done values)
             (funcall send "variables" (list :variablesReference (plist-get (car scopes) :variablesReference))
                      (lambda (body)
                        (collect (cdr scopes)
                                 (append values
                                         (mapcar (lambda (it) (cons (plist-get it :name) (plist-get it :value)))
                                                 (plist-get body :variables))))))))
         (stopped (event)
           (if (not (equal (plist-get event :reason) "breakpoint"))
               (done nil (or (plist-get event :text) (plist-get event :reason)))
             (funcall send "stackTrace" (list :threadId (plist-get event :threadId))
                      (lambda (stack)
                        (funcall send "scopes" (list :frameId (plist-get (aref (plist-get stack :stackFrames) 0) :id))
                                 ;; The last scope has the same values, lane by lane.
                                 (lambda (body) (collect (append (seq-take (plist-get body :scopes) 2) nil) nil)))))))
         (heard (message)
           (pcase (plist-get message :event)
             ("initialized"
              (funcall send "setBreakpoints" `(:source (:path ,file) :breakpoints [(:line ,line)]))
              (funcall send "configurationDone" nil))
             ("stopped" (stopped (plist-get message :body)))
             ("terminated" (done nil "A run on the data of the first example does not come to this line"))
             (_ (when (eq (plist-get message :success) :false)
                  (done nil (plist-get message :message)))))))
      (let ((session (lane-values--connect program #'heard)))
        (setq process (car session)
              send (cdr session)))
      (funcall send "initialize" '(:adapterID "lanescope" :linesStartAt1 t :columnsStartAt1 t))
      (funcall send "launch" (list :program file :kernel kernel)))))

(defun lane-values--clear ()
  "Take the values away that stand beside lines."
  (mapc #'delete-overlay lane-values--overlays)
  (setq lane-values--overlays nil))

(defun lane-values--names ()
  "The names in the current line, up to a comment."
  (let ((code (replace-regexp-in-string "#.*" "" (buffer-substring-no-properties (line-beginning-position) (line-end-position))))
        (start 0)
        names)
    (while (string-match "[[:alpha:]_][[:alnum:]_]*" code start)
      (push (match-string 0 code) names)
      (setq start (match-end 0)))
    (seq-uniq (nreverse names))))

(defun lane-values--show (first last values)
  "Show VALUES beside the lines from FIRST to LAST, on each those of its names."
  (save-excursion
    (goto-char (point-min))
    (forward-line (1- first))
    (dotimes (_ (1+ (- last first)))
      (when-let ((known (delq nil (mapcar (lambda (name) (assoc name values)) (lane-values--names)))))
        (let ((overlay (make-overlay (line-end-position) (line-end-position)))
              (words (mapconcat (lambda (it) (format "%s = %s" (car it) (cdr it))) known ", ")))
          (overlay-put overlay 'after-string (propertize (concat "  " words) 'face 'lane-values))
          (push overlay lane-values--overlays)))
      (forward-line))))

(defun lane-values-refresh (program header)
  "Have PROGRAM run the file as it was saved, and show the values.
HEADER gives the line and the name of the kernel at point."
  (let* ((buffer (current-buffer))
         (question (setq lane-values--asked (1+ lane-values--asked)))
         (at (save-excursion (goto-char lane-values--place) (cons (line-number-at-pos nil t) (funcall header)))))
    (pcase-let ((`(,line ,first . ,kernel) at))
      (if (null kernel)
          (message "Values are those of a kernel: put point into one")
        (lane-values--at program buffer-file-name kernel line
                         (lambda (values why)
                           (when (and (buffer-live-p buffer) (= question (buffer-local-value 'lane-values--asked buffer)))
                             (with-current-buffer buffer
                               (lane-values--clear)
                               (if values
                                   (lane-values--show first line values)
                                 (message "%s" why))))))))))

(provide 'lane-values)
;;; lane-values.el ends here
