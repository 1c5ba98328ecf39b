import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { credentials } from '@grpc/grpc-js'
import grpc from '@pulumi/pulumi/proto/provider_grpc_pb.js'
import pb from '@pulumi/pulumi/proto/provider_pb.js'
import struct from 'google-protobuf/google/protobuf/struct_pb.js'

/** Values of properties as the engine sends them. */
export type Wire = Record<string, struct.JavaScriptValue>

/** Plays the engine of Pulumi for a provider in its own process. */
export interface Engine {
  /** Calls a function of the protocol, such as `check`. */
  call<A>(name: string, request: unknown): Promise<A>
  stop(): Promise<void>
}

const program = fileURLToPath(new URL('../../src/cli/pulumi_provider.ts', import.meta.url))

/** Starts the provider and connects to the port that it prints. */
export async function startEngine(): Promise<Engine> {
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  const client = new grpc.ResourceProviderClient(`127.0.0.1:${line}`, credentials.createInsecure())
  const methods = client as unknown as Record<
    string,
    (request: unknown, done: (...reply: unknown[]) => void) => void
  >
  return {
    call: <A>(name: string, request: unknown) =>
      new Promise<A>((resolve, reject) => {
        methods[name]?.call(client, request, (error, answer) =>
          error ? reject(error) : resolve(answer as A),
        )
      }),
    stop: async () => {
      client.close()
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** Writes properties to the wire. */
export const toStruct = (values: Wire) => struct.Struct.fromJavaScript(values)

/** Returns the URN of a resource. */
export const urnOf = (type: string, name: string) => `urn:pulumi:dev::city::landform:index:${type}::${name}`

/** Checks inputs and returns them as the provider completes them, with its failures by property. */
export async function check(engine: Engine, urn: string, news: Wire) {
  const request = new pb.CheckRequest().setUrn(urn).setNews(toStruct(news))
  const answer = await engine.call<pb.CheckResponse>('check', request)
  return {
    inputs: (answer.getInputs()?.toJavaScript() ?? {}) as Wire,
    failures: answer
      .getFailuresList()
      .map((one) => ({ property: one.getProperty(), reason: one.getReason() })),
  }
}

/** Compares inputs; returns the kind of change by property path. */
export async function diff(engine: Engine, urn: string, [olds, news]: readonly [Wire, Wire]) {
  const request = new pb.DiffRequest().setUrn(urn).setOldInputs(toStruct(olds)).setNews(toStruct(news))
  const answer = await engine.call<pb.DiffResponse>('diff', request)
  const detailed = [...answer.getDetaileddiffMap().entries()] as unknown as [string, pb.PropertyDiff][]
  return {
    changes: answer.getChanges(),
    replaces: answer.getReplacesList(),
    paths: Object.fromEntries(detailed.map(([path, one]) => [path, one.getKind()])),
  }
}
