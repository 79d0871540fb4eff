# The application alone, for `docker compose up` (compose.yaml, docs/operations.md) or any other engine.
# The tests use this version of Python; pin the digest of your registry.
FROM python:3.11-slim-bookworm

WORKDIR /srv/multiloss
COPY requirements.txt ./
RUN pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements.txt
COPY . .
# The root is read-only later: write the charts' browser library and the bytecode now.
RUN python -m ui.shared.browser_files && python -m compileall -q . && chmod -R go=rX .

# A new volume takes over the owner of its folder.
RUN install -d -m 700 -o 10001 -g 10001 /files
USER 10001:10001
ENV HOME=/nonexistent \
    MPLCONFIGDIR=/tmp/matplotlib \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    STREAMLIT_SERVER_ADDRESS=0.0.0.0 \
    STREAMLIT_SERVER_PORT=8501 \
    STREAMLIT_SERVER_HEADLESS=true
EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
    CMD ["python", "-c", "import os, urllib.request; urllib.request.urlopen(f\"http://127.0.0.1:{os.environ['STREAMLIT_SERVER_PORT']}/_stcore/health\", timeout=4)"]
CMD ["python", "-m", "streamlit", "run", "server.py"]
