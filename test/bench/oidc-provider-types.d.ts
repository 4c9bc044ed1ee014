/** The little of oidc-provider that the bench uses; the package ships no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  /** What it stores: JSON, with the members it looks things up by. */
  export interface AdapterPayload {
    readonly [member: string]: unknown;
    readonly grantId?: string;
    readonly uid?: string;
    readonly userCode?: string;
    consumed?: number;
  }

  /** Where one kind of its objects is kept. */
  export interface Adapter {
    upsert(id: string, payload: AdapterPayload, expiresInSeconds?: number): Promise<void>;
    find(id: string): Promise<AdapterPayload | undefined>;
    findByUid(uid: string): Promise<AdapterPayload | undefined>;
    findByUserCode(userCode: string): Promise<AdapterPayload | undefined>;
    consume(id: string): Promise<void>;
    destroy(id: string): Promise<void>;
    revokeByGrantId(grantId: string): Promise<void>;
  }

  interface Saved {
    /** Stores it and answers the text by which it is known. */
    save(): Promise<string>;
  }

  export class Provider {
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    readonly Client: { find(id: string): Promise<object | undefined> };
    readonly Grant: new (
      properties: object,
    ) => Saved & { addOIDCScope(scope: string): void; addResourceScope(resource: string, scope: string): void };
    readonly RefreshToken: new (
      properties: object,
    ) => Saved;
    readonly AccessToken: new (
      properties: object,
    ) => Saved;
    readonly InitialAccessToken: new (
      properties: object,
    ) => Saved;
  }
}
