"""The command: `python -m dalembert ARGS` is `dalembert ARGS`."""

from dalembert_command import main

if __name__ == "__main__":
    main()
