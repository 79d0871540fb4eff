{
  // Streamlit would try the address of the page first. Its files are relative to the same folder.
  const folder = new URL(".", location);
  window.__streamlit = { BACKEND_BASE_URL: folder.href };

  // Streamlit adds a step to the history for each changed setting. Only pages and parts of the lesson are steps;
  // a start address with settings leads to its page at once, also on the way back.
  let leads = location.pathname === folder.pathname && location.search !== "";
  const place = (address) => `${address.pathname} ${address.searchParams.get("step")}`;
  const push = history.pushState;
  history.pushState = (state, unused, address) => {
    const moves = place(new URL(address, location)) !== place(new URL(location));
    (moves && !leads ? push : history.replaceState).call(history, state, unused, address);
    leads &&= !moves;
  };

  // Streamlit names its own command when the server is lost.
  new MutationObserver(() => {
    const title = document.querySelector(".stDialog:not(:has(.lost_server)) h2");
    if (title?.textContent === "Connection error") {
      title.nextElementSibling.style.display = "none";
      title.insertAdjacentHTML("afterend", `<p class="lost_server">Multiloss does not answer. Check your connection and
        that the server runs; this page then connects again by itself.</p>`);
    }
  }).observe(document, { childList: true, subtree: true });
}
