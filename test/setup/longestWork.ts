/** Returns the CPU time of some work, and of the longest part of it in which nothing else had its turn. */
export async function longestWork(work: () => unknown): Promise<{ longest: number; whole: number }> {
  let before = process.cpuUsage();
  let [longest, whole] = [0, 0];
  let next: NodeJS.Immediate | undefined;
  const turn = () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    longest = Math.max(longest, user + system);
    whole += user + system;
    next = setImmediate(turn);
  };
  next = setImmediate(turn);
  await work();
  turn();
  clearImmediate(next);
  return { longest, whole };
}
