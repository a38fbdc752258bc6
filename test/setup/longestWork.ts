/** Returns the CPU time of some work, and of the longest part of it in which nothing else had its turn. */
export async function longestWork(work: () => unknown): Promise<{ longest: number; whole: number }> {
  let before = process.cpuUsage();
  let [longest, whole] = [0, 0];
  const measure = () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    longest = Math.max(longest, user + system);
    whole += user + system;
  };
  const turn = () => {
    measure();
    next = setImmediate(turn);
  };
  let next = setImmediate(turn);
  try {
    await work();
    measure();
  } finally {
    clearImmediate(next);
  }
  return { longest, whole };
}
