/** Reads the environment variables of a function, without defaults, and names all that are missing or wrong at once. */
export function environmentReader(environment: Readonly<Record<string, string | undefined>>) {
  const problems: string[] = [];

  /** Reads a variable. @param parse returns undefined for a wrong value, or throws an error that says what is wrong */
  const read = <T>(name: string, expected: string, parse: (text: string) => T | undefined): T => {
    const text = environment[name] ?? '';
    let reason = '';
    try {
      const value = parse(text);
      if (value !== undefined) return value;
    } catch (error) {
      if (text !== '') reason = `: ${(error as Error).message}`;
    }
    problems.push(`${name} (${expected}${reason})`);
    return undefined as T;
  };

  return {
    problems,
    read,
    /** Reads a variable that must not be empty. */
    text: (name: string, expected: string): string => read(name, expected, (value) => value || undefined),
    requireAll(): void {
      if (problems.length > 0) throw new Error(`Environment variables missing or wrong: ${problems.join(', ')}`);
    },
  };
}
