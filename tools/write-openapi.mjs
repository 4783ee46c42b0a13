#!/usr/bin/env node
/**
 * Writes docs/reference/openapi.json, which GET /api/cra/openapi.json serves, from the routes and
 * the examples of docs/reference/api.md and its parts. A test compares the three.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { ROUTES } from '../dist/src/http/api/all-routes.js';
import { describeApi, examplesOf, readCalls } from '../dist/src/http/openapi/document.js';

const read = (path) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const { version } = JSON.parse(read('package.json'));
const examples = examplesOf(readCalls(read), ROUTES);
const text = `${JSON.stringify(describeApi(ROUTES, version, examples), null, 2)}\n`;
writeFileSync(new URL('../docs/reference/openapi.json', import.meta.url), text);
