import pytest

from experiments.files import BESIDE_THE_CHECKOUT


@pytest.fixture(scope="session")
def papers_data():
    if not BESIDE_THE_CHECKOUT.is_dir():
        pytest.skip("The folder shared/data with the sets of both papers is not beside the checkout.")
    return BESIDE_THE_CHECKOUT
