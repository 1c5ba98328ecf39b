import { annotationsOf } from '../../contract/descriptor.ts'
import { type Cls, descriptorOf } from '../../contract/registry.ts'
import { listSecrets, type Schema } from '../../contract/schema/schema.ts'
import { invalidAt } from '../http/invalid_request.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * Rejects a change of the address for a stored secret unless the request contains the secret. Otherwise a caller who can
 * change the address, but not read the secret, could have it sent to their own server.
 *
 * @param given member of the request named after the class
 * @param addresses normalised address before and after the change
 * @throws {Problem} request/invalid
 */
export function checkSecretAddress(
  cls: Cls,
  given: Values,
  { current, next }: { readonly current: Values; readonly next: Values },
): void {
  const member = descriptorOf(cls).members[cls] as Schema
  const [secret = ''] = listSecrets(member)
  if (given[secret] !== undefined) return
  for (const [name, schema] of Object.entries(member.properties ?? {})) {
    if (!annotationsOf(schema)['x-address'] || next[name] === current[name]) continue
    throw invalidAt(
      `/${cls}/${secret}`,
      `${name} changes only together with the stored ${secret}`,
      `Send the ${secret} too: the stored one is not sent to another address.`,
    )
  }
}
