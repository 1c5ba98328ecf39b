import { credentials } from '@grpc/grpc-js'
import grpc from '@pulumi/pulumi/proto/engine_grpc_pb.js'
import pb from '@pulumi/pulumi/proto/engine_pb.js'

/** Shows a warning about a resource in the output of Pulumi. Never fails. */
export type Warn = (message: string, urn: string) => void

/** Log of an engine, which may become known after the provider has started. */
export interface EngineLog {
  readonly warn: Warn
  /** Connects to the engine at an address. */
  connect(address: string): void
  close(): void
}

/** Creates a log that is connected to no engine yet; its warnings are lost. */
export function createEngineLog(): EngineLog {
  let client: grpc.EngineClient | undefined
  return {
    warn: (message, urn) => {
      const request = new pb.LogRequest().setSeverity(pb.LogSeverity.WARNING).setMessage(message).setUrn(urn)
      // A lost warning must not fail the update.
      client?.log(request, () => undefined)
    },
    connect: (address) => {
      client?.close()
      client = new grpc.EngineClient(address, credentials.createInsecure())
    },
    close: () => client?.close(),
  }
}
