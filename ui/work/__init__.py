"""Calculations in processes of their own: one queue for all visitors, no more of them at once than processors."""

from ui.work.lanes import Here
from ui.work.queue import Task, WorkerLostError, WorkQueue, shared_queue

__all__ = ["Here", "Task", "WorkQueue", "WorkerLostError", "shared_queue"]
