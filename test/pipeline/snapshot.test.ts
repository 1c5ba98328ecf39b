import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  findSnapshot,
  isIntact,
  openPartial,
  publishSnapshot,
  type SnapshotManifest,
  writeFeatureCollection,
} from '../../src/pipeline/snapshot.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'landform-snapshot-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function* features(count: number) {
  for (let id = 1; id <= count; id += 1)
    yield JSON.stringify({ type: 'Feature', id, geometry: null, properties: {} })
}

async function exportFeatures(count: number): Promise<SnapshotManifest> {
  const written = await writeFeatureCollection(join(await openPartial(folder), 'l.geojson'), features(count))
  const manifest: SnapshotManifest = {
    version: 1,
    pipeline: 'p',
    run: 'r',
    server: 's',
    format: 'GeoJSON',
    exportedAt: '2026-01-01T00:00:00.000Z',
    files: [
      { layer: 'l', file: 'l.geojson', resource: { id: 1, createdAt: null }, dataVersion: 1, ...written },
    ],
  }
  await publishSnapshot(folder, manifest)
  return manifest
}

describe('writeFeatureCollection', () => {
  it.each([0, 1, 2500])('writes %i features with their count, size and checksum', async (count) => {
    const path = join(folder, 'x.geojson')
    const written = await writeFeatureCollection(path, features(count))
    const bytes = await readFile(path)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(written).toEqual({ features: count, sizeBytes: bytes.length, sha256 })
    expect(JSON.parse(bytes.toString()).features).toHaveLength(count)
  })
})

describe('a snapshot', () => {
  it('is found again, and the folder contains nothing else', async () => {
    const manifest = await exportFeatures(3)
    expect(await findSnapshot(folder)).toEqual(manifest)
    expect((await readdir(folder)).sort()).toEqual(['l.geojson', 'manifest.json'])
  })

  it('replaces the previous one', async () => {
    await exportFeatures(3)
    const second = await exportFeatures(5)
    expect(await findSnapshot(folder)).toEqual(second)
  })

  it('is detected as damaged when a file was changed or deleted', async () => {
    const { files } = await exportFeatures(3)
    const file = files[0] ?? expect.fail('no file')
    expect(await isIntact(folder, file)).toBe(true)
    await writeFile(join(folder, file.file), 'x')
    expect(await isIntact(folder, file)).toBe(false)
    await rm(join(folder, file.file))
    expect(await isIntact(folder, file)).toBe(false)
  })

  it('has no manifest while files are being written', async () => {
    const path = join(await openPartial(folder), 'l.geojson')
    await writeFeatureCollection(path, features(1))
    expect(await findSnapshot(folder)).toBeUndefined()
  })

  it('is kept when the next export fails', async () => {
    const first = await exportFeatures(3)
    async function* broken() {
      yield '{}'
      throw new Error('cut off')
    }
    await expect(
      writeFeatureCollection(join(await openPartial(folder), 'l.geojson'), broken()),
    ).rejects.toThrow('cut off')
    expect(await findSnapshot(folder)).toEqual(first)
    expect(await isIntact(folder, first.files[0] ?? expect.fail('no file'))).toBe(true)
  })
})
