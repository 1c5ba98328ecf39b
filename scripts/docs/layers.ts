import { rows } from '../../test/support/source/layers.ts'

/** Draws the layers of `src/`, top to bottom; the bar separates folders that do not import each other. */
export function drawLayers(): string {
  const sides = rows.filter((row) => 'left' in row).map(({ left }) => left.join('  ').length)
  const width = Math.max(...sides) + 2
  const lines = rows.map((row) =>
    'left' in row ? `${row.left.join('  ').padEnd(width)}|  ${row.right.join('  ')}` : row.join('  '),
  )
  return ['```text', ...lines, '```'].join('\n')
}
