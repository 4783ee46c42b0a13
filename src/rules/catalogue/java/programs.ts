import type { Package } from '../line.ts';

const JDK = 'https://docs.oracle.com/en/java/javase/21/docs/api';

/** What starts programs and runs text. */
export const javaPrograms: readonly Package[] = [
  {
    package: 'java.lang',
    link: `${JDK}/java.base/java/lang/Runtime.html`,
    sinks: [
      { exports: 'Runtime.getRuntime.exec Runtime.exec', kind: 'shell', receivers: 'runtime rt' },
      { exports: 'Runtime.getRuntime.exec Runtime.exec', kind: 'program' },
      {
        exports: 'ProcessBuilder',
        kind: 'program',
        link: `${JDK}/java.base/java/lang/ProcessBuilder.html`,
      },
      {
        exports: 'ProcessBuilder.command',
        kind: 'program',
        receivers: 'processBuilder pb',
        link: `${JDK}/java.base/java/lang/ProcessBuilder.html`,
      },
      { exports: 'System.load System.loadLibrary Runtime.getRuntime.load', kind: 'module' },
      {
        exports: 'Class.forName ClassLoader.loadClass',
        kind: 'module',
        severity: 'high',
        link: `${JDK}/java.base/java/lang/Class.html`,
      },
    ],
  },
  {
    package: 'org.apache.commons.exec',
    link: 'https://commons.apache.org/proper/commons-exec/',
    sinks: [
      { exports: 'CommandLine.parse', kind: 'shell' },
      { exports: 'CommandLine', kind: 'program' },
    ],
  },
  {
    package: 'org.zeroturnaround.exec',
    link: 'https://github.com/zeroturnaround/zt-exec',
    sinks: [
      { exports: 'ProcessExecutor ProcessExecutor.command', kind: 'program' },
      { exports: 'ProcessExecutor.commandSplit', kind: 'shell' },
    ],
  },
  {
    package: 'com.jcraft.jsch',
    types: 'ChannelExec JSch',
    link: 'https://central.sonatype.com/artifact/com.jcraft/jsch',
    receivers: 'channelExec execChannel',
    sinks: [{ exports: '*.setCommand', kind: 'shell' }],
  },
  {
    package: 'net.schmizz.sshj',
    link: 'https://github.com/hierynomus/sshj',
    sinks: [{ exports: '*.exec', kind: 'shell' }],
  },
  {
    package: 'cn.hutool.core.util',
    link: 'https://hutool.cn/docs/',
    sinks: [{ exports: 'RuntimeUtil.exec RuntimeUtil.execForStr', kind: 'shell' }],
  },
  {
    package: 'javax.script',
    types: 'ScriptEngine ScriptEngineManager',
    link: `${JDK}/java.scripting/javax/script/ScriptEngine.html`,
    receivers: 'engine scriptEngine',
    sinks: [
      { exports: '*.eval', kind: 'code' },
      { exports: 'Compilable.compile', kind: 'code', receivers: '' },
    ],
  },
  {
    package: 'groovy.lang',
    link: 'https://docs.groovy-lang.org/latest/html/api/groovy/lang/GroovyShell.html',
    receivers: 'groovyShell shell',
    sinks: [
      { exports: 'GroovyShell.evaluate GroovyShell.parse GroovyShell.run', kind: 'code' },
      { exports: 'GroovyClassLoader.parseClass', kind: 'code' },
    ],
  },
  {
    package: 'org.springframework.expression.spel.standard',
    link: 'https://docs.spring.io/spring-framework/reference/core/expressions.html',
    receivers: 'spelParser expressionParser',
    sinks: [
      {
        exports: 'SpelExpressionParser.parseExpression SpelExpressionParser.parseRaw',
        kind: 'code',
      },
    ],
  },
  {
    package: 'org.springframework.expression',
    link: 'https://docs.spring.io/spring-framework/reference/core/expressions.html',
    sinks: [{ exports: 'ExpressionParser.parseExpression', kind: 'code' }],
  },
  {
    package: 'ognl',
    link: 'https://commons.apache.org/dormant/commons-ognl/',
    sinks: [{ exports: 'Ognl.getValue Ognl.setValue Ognl.parseExpression', kind: 'code' }],
  },
  {
    package: 'com.opensymphony.xwork2.util',
    link: 'https://struts.apache.org/security/',
    sinks: [{ exports: 'ValueStack.findValue ValueStack.findString', kind: 'code' }],
  },
  {
    package: 'org.mvel2',
    link: 'https://github.com/mvel/mvel',
    sinks: [{ exports: 'MVEL.eval MVEL.compileExpression MVEL.executeExpression', kind: 'code' }],
  },
  {
    package: 'org.apache.commons.jexl3',
    types: 'JexlEngine JexlBuilder',
    link: 'https://commons.apache.org/proper/commons-jexl/',
    sinks: [{ exports: '*.createExpression *.createScript', kind: 'code' }],
  },
  {
    package: 'org.codehaus.janino',
    link: 'https://janino-compiler.github.io/janino/',
    sinks: [{ exports: 'ExpressionEvaluator.cook ScriptEvaluator.cook', kind: 'code' }],
  },
  {
    package: 'freemarker.template',
    link: 'https://freemarker.apache.org/docs/api/freemarker/template/Template.html',
    sinks: [{ exports: 'Template', kind: 'template', args: [1] }],
  },
  {
    package: 'org.apache.velocity.app',
    link: 'https://velocity.apache.org/engine/2.3/apidocs/org/apache/velocity/app/Velocity.html',
    sinks: [{ exports: 'Velocity.evaluate VelocityEngine.evaluate', kind: 'template', args: [3] }],
  },
  {
    package: 'com.hubspot.jinjava',
    link: 'https://github.com/HubSpot/jinjava',
    sinks: [{ exports: 'Jinjava.render', kind: 'template' }],
  },
];
