/** One measured figure. */
export interface Figure {
  readonly name: string
  /** What was measured, with its unit. */
  readonly value: string
  /** Against a peer in the same run: `1.32× ogr2ogr`. */
  readonly ratio?: string
  /** What was promised: `≤ 1.5×`. */
  readonly promised: string
  readonly isKept: boolean
}

/** Prints a figure as one line; `main.ts` reads the lines of all benches back. */
export function report(figure: Figure): void {
  console.log(`figure ${JSON.stringify(figure)}`)
}

/** Reads the figures out of what a bench printed. */
export function findFigures(output: string): Figure[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('figure '))
    .map((line) => JSON.parse(line.slice('figure '.length)) as Figure)
}

/** Sets figures as a table of text. */
export function formatFigures(figures: readonly Figure[]): string {
  const rows = [['what', 'measured', 'against a peer', 'promised', ''], ...figures.map(rowOf)]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function rowOf({ name, value, ratio = '', promised, isKept }: Figure): string[] {
  return [name, value, ratio, promised, isKept ? 'kept' : 'MISSED']
}

/** Seconds that some work takes, and what it gives. */
export async function timed<T>(
  work: () => Promise<T>,
): Promise<{ readonly seconds: number; readonly value: T }> {
  const start = performance.now()
  const value = await work()
  return { seconds: (performance.now() - start) / 1000, value }
}

/** The middle one of some numbers. */
export function median(numbers: readonly number[]): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}
