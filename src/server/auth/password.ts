import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import PQueue from 'p-queue'
import { problem } from '../../contract/problems.ts'

/** Default base-2 logarithm of the cost N of a hash: about 50 ms and 32 MiB. */
export const defaultPasswordCost = 15

const keyBytes = 32
/** A hash takes 128 N r bytes: 1 GiB at the maximum cost. */
const maxBytes = 2 ** 31 - 1

/** Limits concurrent hashes, since each occupies a core and memory, and guessing must not starve the server. */
const queue = new PQueue({ concurrency: 2 })
/** Maximum number of queued hashes: a few seconds of work. */
const maxQueued = 100

/**
 * Hashes a password with scrypt and a random salt: `scrypt$N$r$p$salt$key`. @see RFC 7914
 *
 * @param cost base-2 logarithm of N
 */
export async function hashPassword(password: string, cost: number): Promise<string> {
  const salt = randomBytes(16)
  const { N, r, p } = optionsOf(cost)
  const key = await derive(password, salt, { N, r, p })
  return ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$')
}

/**
 * Tells whether a password matches a hash. Without a hash it returns false after the time of a new hash, so that timing
 * does not reveal which logins exist.
 *
 * @param cost base-2 logarithm of N of new hashes
 */
export async function verifyPassword(password: string, hash: string | null, cost: number): Promise<boolean> {
  const { options, salt, key } = findHashParts(hash ?? '') ?? unknownParts(cost)
  const derived = await derive(password, salt, options)
  return timingSafeEqual(derived, key) && hash !== null
}

/** Generates a random password of 24 characters (144 bits). */
export function generatePassword(): string {
  return randomBytes(18).toString('base64url')
}

interface HashParts {
  readonly options: ScryptOptions
  readonly salt: Buffer
  readonly key: Buffer
}

const optionsOf = (cost: number) => ({ N: 2 ** cost, r: 8, p: 1 })

function unknownParts(cost: number): HashParts {
  return { options: optionsOf(cost), salt: Buffer.alloc(16), key: Buffer.alloc(keyBytes) }
}

function findHashParts(hash: string): HashParts | undefined {
  const [name, N, r, p, salt, key] = hash.split('$')
  if (name !== 'scrypt' || salt === undefined || key === undefined) return undefined
  const options = { N: Number(N), r: Number(r), p: Number(p) }
  return { options, salt: Buffer.from(salt, 'base64'), key: Buffer.from(key, 'base64') }
}

async function derive(password: string, salt: Buffer, options: ScryptOptions): Promise<Buffer> {
  const text = password.normalize('NFKC')
  if (queue.size >= maxQueued)
    throw problem('auth/too-many', 'Too many logins at once; try again in 2 s.', { data: { retry_after: 2 } })
  return queue.add(
    () =>
      new Promise<Buffer>((resolve, reject) => {
        scrypt(text, salt, keyBytes, { ...options, maxmem: maxBytes }, (error, key) =>
          error === null ? resolve(key) : reject(error),
        )
      }),
  )
}
