"""No POST arrives twice, although the server cuts its connections at random moments."""
# rooms: capture cmd/send deliver

from support import run
from unreliable import deliver


def test_two_thousand():
    print(dict(deliver(2000, 1)))


if __name__ == "__main__":
    run()
