import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline as connect } from 'node:stream/promises'
import { gatherText } from './csv.ts'

/** One exported file, as the manifest beside it tells. */
export interface SnapshotFile {
  readonly layer: string
  /** Name of the file in the folder. */
  readonly file: string
  readonly features: number
  readonly sizeBytes: number
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string
  /** The layer on the server, and when it was made. */
  readonly resource: { readonly id: number; readonly createdAt: string | null }
  /** Counts the changes of the layer's features, where the server tells it. */
  readonly dataVersion: number | null
}

/** What `manifest.json` of an export holds. It is written last: where it stands, the files are whole. */
export interface SnapshotManifest {
  readonly version: 1
  readonly pipeline: string
  readonly run: string
  readonly server: string
  readonly format: string
  /** Moment of the export, UTC, ISO 8601. */
  readonly exportedAt: string
  readonly files: readonly SnapshotFile[]
}

const manifestName = 'manifest.json'

/** What writing a file came to. */
export interface WrittenFile {
  readonly features: number
  readonly sizeBytes: number
  readonly sha256: string
}

/** Streams features, each a GeoJSON text, into a file as a FeatureCollection. @see RFC 7946 clause 3.3 */
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

/** Reads the manifest of an earlier export; undefined where there is none. */
export async function findSnapshot(folder: string): Promise<SnapshotManifest | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, manifestName), 'utf8')) as SnapshotManifest
  } catch {
    return undefined
  }
}

/** Tells whether a file still has the content its manifest tells. */
export async function isIntact(folder: string, { file, sha256 }: SnapshotFile): Promise<boolean> {
  const hash = createHash('sha256')
  try {
    await connect(createReadStream(join(folder, file)), hash)
  } catch {
    return false
  }
  return hash.digest('hex') === sha256
}

/** Makes an empty folder beside the export's for the files of a run; a reader of the export never sees it half made. */
export async function openPartial(folder: string): Promise<string> {
  const partial = join(folder, '.partial')
  await rm(partial, { recursive: true, force: true })
  await mkdir(partial, { recursive: true })
  return partial
}

/** Puts the files of a run in their places, the manifest last. */
export async function publishSnapshot(folder: string, manifest: SnapshotManifest): Promise<void> {
  const partial = join(folder, '.partial')
  await writeFile(join(partial, manifestName), `${JSON.stringify(manifest, null, 2)}\n`, { flush: true })
  // Between the first rename and the last, files and manifest could disagree: no manifest says so.
  await rm(join(folder, manifestName), { force: true })
  for (const { file } of manifest.files) await rename(join(partial, file), join(folder, file))
  await rename(join(partial, manifestName), join(folder, manifestName))
  await rm(partial, { recursive: true, force: true })
}
