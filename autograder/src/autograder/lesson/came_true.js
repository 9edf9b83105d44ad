// Whether a prediction came true: a choice, a number that was typed, or bars that were drawn.
export function cameTrue(said, came, within) {
  if (typeof came === "string") return said === came;
  if (Array.isArray(came)) {
    const [drawn, room] = [said.split(" ").map(Number), within * Math.max(...came.map(Math.abs)) + 1e-9];
    return drawn.length === came.length && came.every((number, index) => Math.abs(drawn[index] - number) <= room);
  }
  const guess = Number(said.replace(",", ".").replace("−", "-").replace(/%$/, ""));
  return said !== "" && Math.abs(guess - came) <= within * Math.abs(came) + 1e-9;
}
