import { isDeepStrictEqual } from 'node:util'
import type { JournalEntry } from '../../contract/bodies/journal.ts'
import { annotationsOf } from '../../contract/descriptor.ts'
import { descriptorOf } from '../../contract/registry.ts'
import { listSecrets, type Schema } from '../../contract/schema/schema.ts'
import { joinWords } from '../../core/count.ts'
import type { Issue } from '../../core/issue.ts'
import type { Manifest, WantedResource } from '../../manifest/manifest.ts'
import type { ActualResource, ActualTree } from '../model/actual_tree.ts'
import { secretVariable } from '../pull/write_block.ts'

/** What is known of the secrets of the resources that an undo restores. */
export interface SecretInput {
  readonly entry: Pick<JournalEntry, 'id'>
  readonly manifest: Manifest
  readonly actual: Pick<ActualTree, 'byId'>
  /** The resources before the apply, by key. */
  readonly former: ReadonlyMap<string, ActualResource>
  /** Environment variables, where secrets may be. */
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A manifest with secrets, and the secrets that it lacks. */
export interface RestoredSecrets {
  readonly manifest: Manifest
  readonly issues: readonly Issue[]
}

/**
 * Adds the secrets that an undo has to send, from the environment variables in which `landform pull` expects them. Neither the journal
 * nor the server returns secrets, but addresses change only together with them, and deleted connections may require them.
 */
export function restoreSecrets(input: SecretInput): RestoredSecrets {
  const issues: Issue[] = []
  const resources = new Map(input.manifest.resources)
  for (const place of [...resources.values()].flatMap((wanted) => listPlaces(input, wanted))) {
    const { value, issue } = restoreOne(place, input)
    if (issue !== undefined) issues.push(issue)
    if (value !== undefined) setSecret(resources, place, value)
  }
  return { manifest: { ...input.manifest, resources }, issues }
}

/** Lists the secrets of the class of a resource that the apply changed. */
function listPlaces({ former: all, actual }: SecretInput, wanted: WantedResource): SecretPlace[] {
  const former = all.get(wanted.key)
  if (wanted.cls === undefined || former === undefined) return []
  const there = wanted.id === undefined ? undefined : actual.byId.get(wanted.id)
  return Object.entries(descriptorOf(wanted.cls).members).flatMap(([member, schema]) =>
    listSecrets(schema as Schema).map((secret) => ({
      ...{ wanted, former, there, member, secret },
      schema: schema as Schema,
    })),
  )
}

function setSecret(
  resources: Map<string, WantedResource>,
  { wanted: { key }, member, secret }: SecretPlace,
  value: string | null,
): void {
  const wanted = resources.get(key)
  if (wanted === undefined) return
  const { members } = wanted
  const fields = { ...members[member], [secret]: value }
  resources.set(key, { ...wanted, members: { ...members, [member]: fields } })
}

interface SecretPlace {
  readonly wanted: WantedResource
  readonly former: ActualResource
  /** Undefined if the resource was deleted. */
  readonly there: ActualResource | undefined
  readonly member: string
  readonly schema: Schema
  readonly secret: string
}

function restoreOne(
  place: SecretPlace,
  { entry, env }: SecretInput,
): { readonly value?: string | null; readonly issue?: Issue } {
  const { wanted, former, there, member, secret } = place
  const hadNone = former.members[member]?.[secret] === null
  const hasNone = there === undefined || there.members[member]?.[secret] === null
  const moved = there === undefined || hasNone ? [] : listMoved(place, there)
  if (moved.length === 0 && (hadNone || !hasNone)) return {}
  // The secret of the present address is not sent to the former one.
  if (hadNone) return { value: null }
  const variable = secretVariable(wanted.key, secret)
  const value = env[variable]
  if (value !== undefined && value !== '') return { value }
  const name = `${member}.${secret}`
  const source = 'which servers do not return, and the journal does not contain'
  if (moved.length > 0)
    return {
      issue: missing({
        message: `undo of apply ${entry.id} changes ${joinWords(moved)} of "${wanted.key}" only together with ${name}, ${source}`,
        hint: `Set ${variable} to the ${secret} for the former address, or apply the former manifest, which sends it.`,
      }),
    }
  const isRequired = there === undefined && isNeeded(place)
  const effect = isRequired
    ? `"${wanted.key}" cannot be created again without ${name}`
    : `${name} of "${wanted.key}" is not restored`
  const issue = missing({
    message: `${effect}, ${source}`,
    hint: `Set ${variable} to send it.`,
  })
  return { issue: isRequired ? issue : { ...issue, severity: 'warning' } }
}

const missing = (fault: Pick<Issue, 'message' | 'hint'>): Issue => ({
  ...{ code: 'undo/secret', severity: 'error' },
  ...fault,
})

/** Lists the addresses that an undo changes. */
function listMoved({ wanted, member, schema }: SecretPlace, there: ActualResource): string[] {
  const now = there.members[member] ?? {}
  const next = wanted.members[member] ?? {}
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isAddress = annotationsOf(field)['x-address'] && now[name] !== undefined && name in next
    return isAddress && !isDeepStrictEqual(now[name], next[name]) ? [`${member}.${name}`] : []
  })
}

const isNeeded = ({ schema, secret }: SecretPlace) =>
  ((schema as { readonly required?: readonly string[] }).required ?? []).includes(secret)
