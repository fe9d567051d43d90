# Every editor's file knows the words of the language, every folder has its three lines, and what is data can be read.
source "$(dirname "$0")/support.sh"
need_debian python3 python3
python3 "$tests/files.py" "$repository"
