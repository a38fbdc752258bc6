/** Returns the result of a step; undefined if it throws, because what it reads was changed or is nobody's promise. */
export function orUndefined<Result>(step: () => Result): Result | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
