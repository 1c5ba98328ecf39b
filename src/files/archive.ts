import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { crc32 } from 'node:zlib'
import { type Entry, open, type ZipFile } from 'yauzl'
import { problem } from '../contract/problems.ts'
import { isDiskFull } from '../core/disk_full.ts'

const openZip = promisify<string, { lazyEntries: true; autoClose: false }, ZipFile>(open)

/** Maximum number of files in an archive. */
const maxEntries = 10_000

/** Maximum compression ratio of an archive that unpacks to more than `smallBytes`. */
const maxRatio = 200
const smallBytes = 64 << 20

/** Target folder and size limit of unpacking. */
export interface UnpackLimits {
  readonly folder: string
  readonly limitBytes: number
  /** Refuses an archive by the names of its files, before they are unpacked. */
  readonly checkNames?: (names: readonly string[]) => void
}

/**
 * Lists the files of a zip archive after checking all entries before unpacking: relative names, no links, no
 * encryption, and a total size within the limit.
 *
 * @throws {Problem} source/unreadable for an archive that is damaged or unsafe
 */
export async function listArchive(path: string, limitBytes: number): Promise<string[]> {
  return withArchive(path, async (zip) => {
    const entries = await readEntries(zip)
    checkEntries(entries, { limitBytes, packedBytes: zip.fileSize })
    return entries.filter(isFile).map((entry) => entry.fileName)
  })
}

/**
 * Unpacks a zip archive into a folder, after the checks of `listArchive`. Declared sizes may be wrong, so the library
 * counts the unpacked bytes.
 *
 * @returns paths of the unpacked files
 * @throws {Problem} source/unreadable for an archive that is damaged or unsafe; files/full
 */
export async function unpackArchive(
  path: string,
  { folder, limitBytes, checkNames }: UnpackLimits,
): Promise<string[]> {
  return withArchive(path, async (zip) => {
    const entries = await readEntries(zip)
    checkEntries(entries, { limitBytes, packedBytes: zip.fileSize })
    checkNames?.(entries.filter(isFile).map((entry) => entry.fileName))
    const paths: string[] = []
    for (const entry of entries.filter(isFile)) {
      const target = join(folder, entry.fileName)
      await mkdir(dirname(target), { recursive: true })
      await pipeline(await openContent(zip, entry), createWriteStream(target, { flags: 'wx' }))
      paths.push(target)
    }
    return paths
  })
}

/** Consumes one file of an archive, to the end of its content. */
export type ConsumeFile = (name: string, content: AsyncIterable<Uint8Array>) => Promise<void>

/**
 * Passes the files of a zip archive to `consume` one after the other, after the checks of `listArchive`.
 *
 * @throws {Problem} source/unreadable for an archive that is damaged or unsafe, and errors of `consume`
 */
export async function readArchive(
  path: string,
  { limitBytes, signal }: { readonly limitBytes: number; readonly signal: AbortSignal },
  consume: ConsumeFile,
): Promise<void> {
  await withArchive(path, async (zip) => {
    const entries = await readEntries(zip)
    checkEntries(entries, { limitBytes, packedBytes: zip.fileSize })
    for (const entry of entries.filter(isFile)) {
      signal.throwIfAborted()
      await consume(entry.fileName, await openContent(zip, entry))
    }
  })
}

async function withArchive<T>(path: string, work: (zip: ZipFile) => Promise<T>): Promise<T> {
  let zip: ZipFile | undefined
  try {
    zip = await openZip(path, { lazyEntries: true, autoClose: false })
    return await work(zip)
  } catch (error) {
    throw asProblem(error)
  } finally {
    zip?.close()
  }
}

function asProblem(error: unknown): unknown {
  if (!(error instanceof Error) || error.name === 'Problem') return error
  const code = 'code' in error ? error.code : undefined
  if (isDiskFull(error)) return problem('files/full', 'cannot unpack the archive: the disk is full')
  if (code === 'EEXIST') return untrusted('it contains a name twice')
  return untrusted(error.message)
}

function untrusted(reason: string): Error {
  return problem('source/unreadable', `cannot read the archive: ${reason}`)
}

async function readEntries(zip: ZipFile): Promise<Entry[]> {
  // The library reads as many entries as the archive declares.
  if (zip.entryCount > maxEntries) throw untrusted(`it contains more than ${maxEntries} files`)
  return new Promise((resolve, reject) => {
    const entries: Entry[] = []
    zip.on('entry', (entry: Entry) => {
      entries.push(entry)
      zip.readEntry()
    })
    zip.once('end', () => resolve(entries))
    zip.once('error', reject)
    zip.readEntry()
  })
}

const linkType = 0o120_000
const typeMask = 0o170_000

function isFile(entry: Entry): boolean {
  return !entry.fileName.endsWith('/')
}

function checkEntries(
  entries: readonly Entry[],
  { limitBytes, packedBytes }: { limitBytes: number; packedBytes: number },
): void {
  let [total, packed] = [0, 0]
  const names = new Set<string>()
  for (const entry of entries) {
    const name = JSON.stringify(entry.fileName)
    if (names.size === names.add(entry.fileName).size) throw untrusted(`it contains ${name} twice`)
    // The library refuses absolute names and names with `..` or backslashes.
    if (/\p{Cc}/u.test(entry.fileName)) throw untrusted(`the name ${name} contains control characters`)
    if (((entry.externalFileAttributes >>> 16) & typeMask) === linkType) throw untrusted(`${name} is a link`)
    if (entry.isEncrypted()) throw untrusted(`${name} is encrypted`)
    // Incompressible files beside a bomb do not make it harmless.
    checkRatio(name, entry.uncompressedSize, entry.compressedSize)
    total += entry.uncompressedSize
    packed += entry.compressedSize
  }
  if (packed > packedBytes) throw untrusted('its files overlap')
  if (total > limitBytes) throw untrusted(`it unpacks to ${total} bytes, more than ${limitBytes}`)
  checkRatio('it', total, packedBytes)
}

function checkRatio(what: string, bytes: number, packedBytes: number): void {
  if (bytes > smallBytes && bytes > packedBytes * maxRatio)
    throw untrusted(`${what} unpacks to ${bytes} bytes, more than ${maxRatio} times its ${packedBytes} bytes`)
}

/** Streams the content of a file; fails at its end if the checksum does not match. */
async function openContent(zip: ZipFile, entry: Entry): Promise<AsyncIterable<Uint8Array>> {
  return checkSum(await openEntry(zip, entry), entry)
}

async function* checkSum(
  content: Readable,
  { fileName, crc32: expected }: Entry,
): AsyncGenerator<Uint8Array> {
  let sum = 0
  for await (const chunk of content as AsyncIterable<Buffer>) {
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (sum !== expected) throw untrusted(`${JSON.stringify(fileName)} is damaged: checksum mismatch`)
}

async function openEntry(zip: ZipFile, entry: Entry): Promise<Readable> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error === null ? resolve(stream) : reject(error)))
  })
}
