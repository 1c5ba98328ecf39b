import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline as connect } from 'node:stream/promises'
import { gatherText } from './csv.ts'

/** An exported file, as described in the manifest of the export. */
export interface SnapshotFile {
  readonly layer: string
  /** Name of the file in the folder. */
  readonly file: string
  readonly features: number
  readonly sizeBytes: number
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string
  /** The layer on the server, and its creation timestamp. */
  readonly resource: { readonly id: number; readonly createdAt: string | null }
  /** Data version of the layer, if the server reports it. */
  readonly dataVersion: number | null
}

/** Content of `manifest.json` of an export. Written last: if it exists, the files are complete. */
export interface SnapshotManifest {
  readonly version: 1
  readonly pipeline: string
  readonly run: string
  readonly server: string
  readonly format: string
  /** Time of the export, in UTC and ISO 8601. */
  readonly exportedAt: string
  readonly files: readonly SnapshotFile[]
}

const manifestName = 'manifest.json'

/** A written file: number of features, size and checksum. */
export interface WrittenFile {
  readonly features: number
  readonly sizeBytes: number
  readonly sha256: string
}

/** Streams features in GeoJSON into a file as a FeatureCollection. @see RFC 7946 clause 3.3 */
export async function writeFeatureCollection(
  path: string,
  features: AsyncIterable<string>,
): Promise<WrittenFile> {
  const tally = { features: 0 }
  const hash = createHash('sha256')
  let sizeBytes = 0
  const measured = new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk)
      sizeBytes += chunk.length
      done(null, chunk)
    },
  })
  await connect(
    gatherText(collectionText(features, tally)),
    measured,
    createWriteStream(path, { flush: true }),
  )
  return { features: tally.features, sizeBytes, sha256: hash.digest('hex') }
}

async function* collectionText(
  features: AsyncIterable<string>,
  tally: { features: number },
): AsyncGenerator<string> {
  yield '{"type":"FeatureCollection","features":[\n'
  for await (const feature of features) {
    yield tally.features === 0 ? feature : `,\n${feature}`
    tally.features += 1
  }
  yield '\n]}\n'
}

/** Reads the manifest of an earlier export; undefined if it does not exist. */
export async function findSnapshot(folder: string): Promise<SnapshotManifest | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as SnapshotManifest
  } catch {
    return undefined
  }
}

/** Tells whether the content of a file still matches its manifest. */
export async function isIntact(
  folder: string,
  { file, sha256 }: Pick<SnapshotFile, 'file' | 'sha256'>,
): Promise<boolean> {
  const hash = createHash('sha256')
  try {
    await connect(createReadStream(join(folder, file)), hash)
  } catch {
    return false
  }
  return hash.digest('hex') === sha256
}

/** Creates an empty subfolder for the files of a run, so that readers of the export never see incomplete files. */
export async function openPartial(folder: string): Promise<string> {
  const partial = join(folder, '.partial')
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true })
  return partial
}

/** Moves the files of a run to the folder of the export, the manifest last. */
export async function publishSnapshot(folder: string, manifest: SnapshotManifest): Promise<void> {
  const partial = join(folder, '.partial')
  await writeFile(join(partial, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true })
  // Removed first, because files and manifest would be inconsistent while the files are renamed.
  await rm(join(folder, manifestName), { force: true })
  for (const { file } of manifest.files) await rename(join(partial, file), join(folder, file))
  await rename(join(partial, manifestName), join(folder, manifestName))
  await rm(partial, { recursive: true, force: true })
}
