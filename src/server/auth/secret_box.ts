import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { chmod, open, readFile } from 'node:fs/promises'
import { problem } from '../../contract/problems.ts'

/** Encryption of stored secrets such as passwords of external services. The key is not in the database. */
export interface SecretBox {
  /**
   * Encrypts a secret.
   *
   * @param place the field it belongs to, as `wms_connection.password:17`; it cannot be decrypted for another one
   */
  seal(secret: string, place: string): string
  /**
   * Decrypts a secret that `seal` encrypted for the same place.
   *
   * @throws {Problem} secret/unreadable if it was encrypted with another key or for another place, or was modified
   */
  open(sealed: string, place: string): string
}

const keyBytes = 32
const nonceBytes = 12
const tagBytes = 16

/** Name of the key file in the data folder, used if no key is configured. */
export const keyFileName = 'secret-key'

/**
 * Opens the secret box with the configured key, else with that of the key file, which is created if it is missing.
 *
 * @throws {Problem} secret/bad-key
 */
export async function openSecretBox(options: {
  /** 32 bytes in base64 or hexadecimal. */
  readonly key?: string | undefined
  readonly file: string
}): Promise<SecretBox> {
  const { key = await readKeyFile(options.file), file } = options
  return createSecretBox(parseKey(key, options.key === undefined ? file : 'LANDFORM_SECRET_KEY'))
}

/** Creates a secret box: AES-256-GCM with a random nonce for each secret. @see NIST SP 800-38D */
export function createSecretBox(key: Buffer): SecretBox {
  const keyId = createHash('sha256').update(key).digest('hex').slice(0, 8)
  return {
    seal(secret, place) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(place))
      const sealed = Buffer.concat([
        nonce,
        cipher.update(secret, 'utf8'),
        cipher.final(),
        cipher.getAuthTag(),
      ])
      return `v1.${keyId}.${sealed.toString('base64url')}`
    },
    open(sealed, place) {
      const [, id, text = ''] = /^v1\.([0-9a-f]{8})\.([\w-]+)$/.exec(sealed) ?? []
      if (id !== keyId) throw unreadable(place, 'was encrypted with another key')
      try {
        return decrypt(key, Buffer.from(text, 'base64url'), place)
      } catch (cause) {
        throw unreadable(place, 'was modified or belongs to another field', cause)
      }
    },
  }
}

function decrypt(key: Buffer, sealed: Buffer, place: string): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes))
  decipher.setAAD(Buffer.from(place)).setAuthTag(sealed.subarray(-tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString(
    'utf8',
  )
}

function unreadable(place: string, why: string, cause?: unknown) {
  return problem('secret/unreadable', `The secret ${place} ${why}.`, { cause })
}

/**
 * Parses a key of 32 bytes in base64 or hexadecimal.
 *
 * @param source name of the setting or file, for the error
 * @throws {Problem} secret/bad-key
 */
export function parseKey(text: string, source: string): Buffer {
  const plain = text.trim()
  const key = /^[0-9a-f]{64}$/i.test(plain) ? Buffer.from(plain, 'hex') : Buffer.from(plain, 'base64')
  if (key.length === keyBytes) return key
  throw problem(
    'secret/bad-key',
    `${source} does not contain a key of ${keyBytes} bytes in base64 or hexadecimal.`,
  )
}

/** Reads the key file. If several processes start in one folder, the first creates the file. */
async function readKeyFile(path: string): Promise<string> {
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      await file.writeFile(`${randomBytes(keyBytes).toString('base64')}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    await chmod(path, 0o600)
  }
  return readFile(path, 'utf8')
}
