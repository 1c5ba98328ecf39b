import { createHash } from 'node:crypto'

/** A feature with a description or attachments. */
export interface ExtendedFeature {
  readonly id: number
  readonly description: string | null
  readonly attachments: readonly {
    readonly id: number
    readonly name: string
    readonly mime_type: string
    readonly description: string | null
    readonly digest: string
  }[]
}

/** Digest of the description and attachments of a feature: SHA-256 in hexadecimal. */
export function digestExtended({ id, description, attachments }: ExtendedFeature): string {
  const files = attachments.map((one) => [one.id, one.name, one.mime_type, one.description, one.digest])
  return sha256(JSON.stringify([id, description, files]))
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
