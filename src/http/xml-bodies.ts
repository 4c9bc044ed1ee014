/** XML as a surface's codec: the contract describes the documents. */

import type { RequestHandler } from 'express';
import type { Contract, ContractOperation, Routes } from './contract.ts';
import { requestStateOf } from './request-state.ts';
import { readXml } from './xml.ts';
import { type XmlRules, xmlRulesReader } from './xml-rules.ts';

export const xmlType = 'application/xml';

/** The rules for a response body; `operation` is null outside any. */
export type XmlAnswers = (operation: ContractOperation | null, status: number) => XmlRules;

/** Reads the bytes that the body's parser kept. */
export function readXmlBody(contract: Contract): RequestHandler {
  const rulesOf = xmlRulesReader(contract);
  return (req, res, next) => {
    const schema = schemaIn(requestStateOf(res).operation?.requestBody?.content);
    if (schema !== undefined) req.body = readXml(req.body as Buffer, rulesOf(schema));
    next();
  };
}

/** Refusals outside any operation look like the contract's fault response, which every operation has. */
export function xmlAnswers(contract: Contract, { operations }: Routes): XmlAnswers {
  const rulesOf = xmlRulesReader(contract);
  const faultRules = (): XmlRules => {
    const [schema] = [...operations.values()].flatMap(({ responses }) => schemaIn(responses['500']?.content) ?? []);
    return rulesOf(schema);
  };
  return (operation, status) => {
    const schema = schemaIn(operation?.responses[String(status)]?.content);
    return schema === undefined ? faultRules() : rulesOf(schema);
  };
}

function schemaIn(content: Readonly<Record<string, unknown>> | undefined): object | undefined {
  return (content?.[xmlType] as { readonly schema?: object } | undefined)?.schema;
}
