import { describe, expect, it } from 'vitest'
import { describeRun, formatFact, formatStep } from '../../../src/cli/commands/start.ts'
import { describeLoading, describeProgress, formatRunReport } from '../../../src/cli/print/run.ts'
import type { LayerReport, RunReport } from '../../../src/pipeline/run_event.ts'

const layer: LayerReport = {
  layer: 'cities',
  read: 1000,
  loaded: 998,
  unchanged: 0,
  quarantined: 2,
  digest: 'ab',
}
const report: RunReport = { pipeline: 'cities', run: 'r', outcome: 'loaded', layers: [layer], seconds: 1.25 }
const exported: LayerReport = {
  ...layer,
  loaded: 1000,
  quarantined: 0,
  file: 'out/cities.geojson',
  sizeBytes: 61_000_000,
}

describe('formatRunReport', () => {
  it('accounts for every row and lists bad rows', () => {
    const quarantine = { file: 'bad.ndjson', first: [{ line: 7, reason: 'name: is empty', cells: [] }] }
    expect(formatRunReport({ ...report, layers: [{ ...layer, quarantine }] }).split('\n')).toEqual([
      'cities: loaded in 1.3 s',
      '  cities: 1,000 rows read, 998 rows written, 2 rows quarantined',
      '    line 7: name: is empty',
      '    quarantined rows: bad.ndjson',
    ])
  })

  it('shows size and checksum of exported files', () => {
    expect(
      formatRunReport({ ...report, outcome: 'exported', layers: [exported] })
        .split('\n')
        .at(-1),
    ).toBe('    out/cities.geojson, 61.0 MB, sha256 ab')
  })
})

describe('describeProgress', () => {
  it('shows rows, rate, bytes and remaining time', () => {
    const event = {
      type: 'progress',
      step: 's',
      layer: 'l',
      rows: 5000,
      bytes: 2_000_000,
      totalBytes: 8_000_000,
    } as const
    expect(describeProgress(event, 1000)).toBe('5,000 rows, 5,000 rows/s, 2.0 MB of 8.0 MB, 3.0 s left')
  })

  it('shows the activity of the server and the total number of rows', () => {
    const event = {
      type: 'progress',
      step: 's',
      layer: 'l',
      doing: 'writing',
      rows: 5000,
      totalRows: 20_000,
    } as const
    expect(describeProgress(event, 1000)).toBe('writing, 5,000 of 20,000 rows')
  })

  it('shows the known parts of the progress of a server', () => {
    expect(describeLoading({ step: 'reading', features: 0 })).toBe('reading')
    expect(describeLoading({ step: 'reading', features: 7 })).toBe('reading, 7 rows')
    expect(describeLoading({ step: 'indexing', features: 7000, total: 7000 })).toBe(
      'indexing, 7,000 of 7,000 rows',
    )
  })

  it('omits unknown values', () => {
    expect(describeProgress({ type: 'progress', step: 's', layer: 'l', rows: 0 }, 1000)).toBe('')
  })
})

describe('a start', () => {
  it('reports each step with its result and duration', () => {
    expect(formatStep('cities', describeRun(report), 1250)).toMatch(
      /^cities {4}998 rows loaded, 2 quarantined {2,}1\.3 s$/,
    )
    expect(describeRun({ ...report, outcome: 'exported', layers: [exported] })).toBe(
      '1,000 rows exported, 1 file, 61.0 MB',
    )
    expect(
      describeRun({ ...report, outcome: 'unchanged', layers: [{ ...layer, loaded: 0, unchanged: 5 }] }),
    ).toBe('unchanged, 5 rows')
    expect(formatFact('map', 'http://x')).toBe('map       http://x')
  })
})
