import { type Annotations, annotationsOf } from '../contract/descriptor.ts'
import { type Cls, descriptorOf } from '../contract/registry.ts'
import type { Schema } from '../contract/schema/schema.ts'
import { isObject } from '../core/is_object.ts'
import { findAtPointer, joinPointer, type Pointer, splitPointer } from '../core/pointer.ts'
import type { Properties } from './property_values.ts'
import type { InputFault } from './resource_manifest.ts'

const annotated = new Map<string, readonly Pointer[]>()

/** Lists the pointers of the fields of a class with an annotation. */
export function listAnnotated(cls: Cls, word: keyof Annotations): readonly Pointer[] {
  const name = `${cls} ${word}`
  const known = annotated.get(name) ?? findAnnotated(cls, word)
  annotated.set(name, known)
  return known
}

function findAnnotated(cls: Cls, word: keyof Annotations): Pointer[] {
  return Object.entries(descriptorOf(cls).members).flatMap(([member, { properties }]) =>
    Object.entries(properties as Readonly<Record<string, Schema>>).flatMap(([name, schema]) =>
      annotationsOf(schema)[word] ? [joinPointer('', member, name)] : [],
    ),
  )
}

/** Lists the pointers of the secrets of a class. */
export function listSecrets(cls: Cls): readonly Pointer[] {
  return listAnnotated(cls, 'x-secret')
}

/** Finds secrets in properties that all readers of the resource see. */
export function findMisplacedSecrets(cls: Cls, secrets: readonly Pointer[]): InputFault[] {
  const names = new Set(secrets.map((pointer) => splitPointer(pointer)[0] ?? ''))
  const isPublic = (name: string) => name !== 'data' && !Object.hasOwn(descriptorOf(cls).members, name)
  return [...names].filter(isPublic).map((property) => ({
    property,
    reason:
      'is a secret, and everybody who reads the resource sees it; pass pulumi.unsecret() of it, or another value',
  }))
}

/** Returns a function that replaces the secrets of properties in messages. */
export function redactSecrets({ values, secrets }: Properties): (text: string) => string {
  const texts = secrets
    .flatMap((pointer) => listTexts(findAtPointer(values, pointer)))
    .filter((text) => text.length > 3)
    .sort((a, b) => b.length - a.length)
  return (text) => texts.reduce((rest, secret) => rest.replaceAll(secret, '(secret)'), text)
}

function listTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(listTexts)
  if (isObject(value)) return Object.values(value).flatMap(listTexts)
  if (typeof value === 'number') return [String(value)]
  // Messages quote strings as JSON.
  return typeof value === 'string' ? [value, JSON.stringify(value).slice(1, -1)] : []
}
