import type { Package } from './line.ts';

/** Chats, queues of forms and archives: text of other people that is no request of HTTP. */
export const chats: readonly Package[] = [
  {
    package: 'node-telegram-bot-api',
    link: 'https://github.com/yagop/node-telegram-bot-api/blob/master/doc/api.md',
    receivers: 'bot',
    sources: [
      { exports: '*.onText', callback: { parameter: 1 }, object: true },
      { exports: '*.on', callback: { parameter: 0, event: 'callback_query' }, object: true },
      { exports: '*.on', callback: { parameter: 0, event: 'inline_query' }, object: true },
    ],
  },
  {
    package: 'telegraf',
    link: 'https://telegraf.js.org',
    sources: [
      { exports: '*.command *.hears *.action', callback: { parameter: 0, is: 'Context' } },
      { exports: '*.on', callback: { parameter: 0, is: 'Context', event: 'text' } },
      {
        exports: 'Context.message Context.match Context.payload Context.callbackQuery Context.args',
        object: true,
        link: 'https://telegraf.js.org/classes/Context.html',
      },
    ],
  },
  {
    package: 'grammy',
    link: 'https://grammy.dev/guide/context',
    sources: [
      { exports: '*.command *.hears *.callbackQuery', callback: { parameter: 0, is: 'Context' } },
      { exports: 'Context.message Context.match Context.msg', object: true },
    ],
  },
  {
    package: '@slack/bolt',
    link: 'https://docs.slack.dev/tools/bolt-js',
    sources: [
      { exports: '*.command *.shortcut', callback: { parameter: 0, is: 'Arguments' } },
      { exports: '*.message *.event *.action *.view', callback: { parameter: 0, is: 'Arguments' } },
      {
        exports:
          'Arguments.command Arguments.message Arguments.payload Arguments.body Arguments.event',
        object: true,
      },
    ],
  },
  {
    package: 'whatsapp-web.js',
    link: 'https://docs.wwebjs.dev/Client.html',
    sources: [
      { exports: '*.on', callback: { parameter: 0, is: 'Message', event: 'message_create' } },
      { exports: 'Message.body Message.author', link: 'https://docs.wwebjs.dev/Message.html' },
    ],
  },
  {
    package: 'tmi.js',
    link: 'https://tmijs.com',
    sources: [{ exports: '*.on', callback: { parameter: 2, event: 'chat' } }],
  },
  {
    package: 'irc',
    link: 'https://node-irc.readthedocs.io/en/latest/API.html',
    sources: [
      { exports: '*.addListener *.on', callback: { parameter: 2, event: 'message' } },
      { exports: '*.addListener *.on', callback: { parameter: 1, event: 'pm' } },
    ],
  },
  {
    package: 'imapflow',
    link: 'https://imapflow.com/module-imapflow-ImapFlow.html',
    sources: [{ exports: '*.fetchOne() *.download()', object: true }],
  },
  {
    package: 'mailparser',
    link: 'https://nodemailer.com/extras/mailparser',
    sources: [
      { exports: 'simpleParser()', object: true },
      { exports: 'simpleParser', callback: { parameter: 1 }, object: true },
    ],
  },
  {
    package: 'busboy',
    link: 'https://github.com/mscdex/busboy',
    receivers: 'busboy bb',
    sources: [
      { exports: '*.on', callback: { parameter: 2, event: 'file' }, object: true },
      { exports: '*.on', callback: { parameter: 1, event: 'field' } },
    ],
  },
  {
    package: 'formidable',
    link: 'https://github.com/node-formidable/formidable',
    receivers: 'form',
    sources: [
      { exports: '*.parse', callback: { parameter: 1 }, object: true },
      { exports: '*.parse()', object: true, receivers: '' },
    ],
  },
  {
    package: 'jszip',
    link: 'https://stuk.github.io/jszip/documentation/api_jszip.html',
    sources: [
      { exports: '*.files', link: 'https://stuk.github.io/jszip/documentation/api_zipobject.html' },
    ],
  },
  {
    package: 'node-stream-zip',
    link: 'https://github.com/antelle/node-stream-zip',
    sources: [{ exports: '*.entries()', link: '#usage' }],
  },
];
