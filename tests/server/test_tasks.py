from ui.shared.tasks import SessionTasks


class Work:
    def __init__(self):
        self.cancelled, self.failure = False, None

    def cancel(self):
        self.cancelled = True


def test_tasks_are_begun_once_and_again_after_cancelling():
    tasks = SessionTasks()
    first = tasks.ask("paths", 1, Work)
    assert tasks.ask("paths", 1, Work) is first
    assert tasks.ask("points", 1, Work) is not first
    assert not first.cancelled
    tasks.ask("paths", 2, Work)
    assert first.cancelled
    assert tasks.ask("paths", 1, Work) is not first


def test_failed_tasks_are_begun_again_on_request():
    tasks = SessionTasks()
    first = tasks.ask("paths", 1, Work)
    first.failure = ValueError("no path")
    assert tasks.ask("paths", 1, Work) is first
    assert tasks.ask("paths", 1, Work, retry=True) is not first


def test_tasks_of_a_kind_are_bounded_and_forgotten():
    tasks = SessionTasks()
    begun = [tasks.ask("paths", key, Work, most=3) for key in range(5)]
    assert list(tasks.kinds["paths"].values()) == begun[2:]
    tasks.forget("paths", 4)
    assert begun[4].cancelled
    assert list(tasks.kinds["paths"]) == [2, 3]
    tasks.forget("paths")
    assert not tasks.kinds["paths"]
