
const plot = document.getElementById("{plot_id}");
if (plot.querySelector("canvas")) {
  const picture = plot.parentElement.appendChild(document.createElement("img"));
  const draw = () => Plotly.toImage(plot, {format: "png", scale: 2}).then((source) => { picture.src = source; });
  picture.className = "on-paper";
  plot.classList.add("drawn-by-the-graphics-card");
  plot.on("plotly_relayout", draw);
  draw();
}
